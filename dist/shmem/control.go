package shmem

// Layout of the control area at the start of every PE's heap. All words are in
// bytes from the start of the heap, each that one PE writes while another polls
// it on a line of its own.
//
//	0       status of this PE (see status values in mapped.go)
//	64      on PE 0: not zero once the world has failed
//	256     what the PE waits for, see waiting.go
//	1024    the text of the failure, if the PE has noticed it first
//	4096    teamSlots times: flags of the dissemination barrier, one line a
//	        round, then two buffers for what this PE gives to collectives
const (
	statusOff = 0
	failedOff = 64
	teamOff   = 4096

	lineBytes  = 64
	maxRounds  = 32 // teams of up to 2^32 PEs
	teamSlots  = 64
	giveHeader = 32 // operation, sequence number, bytes, spare
	giveBytes  = 16 << 10
	teamBytes  = maxRounds*lineBytes + 2*(giveHeader+giveBytes)

	controlBytes = (teamOff + teamSlots*teamBytes + 4095) &^ 4095
)

// flagOff is the flag that a team's barrier waits for in round k.
func flagOff(slot, k int) int64 {
	return teamOff + int64(slot)*teamBytes + int64(k)*lineBytes
}

// giveOff is the buffer for collectives with an even or odd sequence number.
func giveOff(slot int, seq uint64) int64 {
	return teamOff + int64(slot)*teamBytes + maxRounds*lineBytes + int64(seq&1)*(giveHeader+giveBytes)
}
