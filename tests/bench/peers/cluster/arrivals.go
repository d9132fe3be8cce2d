package cluster

import (
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Arrivals keeps when each numbered update was first dealt with.
type Arrivals struct {
	mutex sync.Mutex
	at    map[int]int64
}

// NewArrivals is empty.
func NewArrivals() *Arrivals { return &Arrivals{at: map[int]int64{}} }

// Note takes the time of an object's update; objects without a number are passed over.
func (a *Arrivals) Note(annotations map[string]string) {
	number, err := strconv.Atoi(annotations[SequenceAnnotation])
	if err != nil {
		return
	}
	now := time.Now().UnixNano()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if _, known := a.at[number]; !known {
		a.at[number] = now
	}
}

// Print writes a line "number nanoseconds" for each, then "end".
func (a *Arrivals) Print() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for number, at := range a.at {
		fmt.Println(number, at)
	}
	fmt.Println("end")
}
