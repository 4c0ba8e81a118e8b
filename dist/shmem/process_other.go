//go:build !linux

package shmem

import (
	"context"
	"errors"
)

func init() { Register("process", process{}) }

type process struct{}

func (process) Run(context.Context, Options, func(Conn) error) error {
	return errors.New("shmem: the transport process needs Linux; use local")
}
