//go:build !race

package kernel

func reads(...[]float64)  {}
func writes(...[]float64) {}

const racing = false
