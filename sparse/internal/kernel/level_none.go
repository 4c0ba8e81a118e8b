//go:build noasm || !amd64

package kernel

func assembly() []*passes { return nil }
