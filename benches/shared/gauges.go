package shared

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Meter measures wall-clock time and processor time.
type Meter struct {
	wall time.Time
	cpu  float64
}

// Start starts a meter.
func Start() Meter { return Meter{wall: time.Now(), cpu: CPU()} }

// Add adds the time on the clock and of processors since the start, in seconds.
func (m Meter) Add(figures map[string]float64, name string) {
	figures[name+"_wall"] = time.Since(m.wall).Seconds()
	figures[name+"_cpu"] = CPU() - m.cpu
}

// CPU returns the processor time of this process in seconds.
func CPU() float64 {
	var usage syscall.Rusage
	Check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// Megabytes returns VmRSS or VmHWM of this process.
func Megabytes(name string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	Check(err)
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kilobytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(rest, " kB")), 64)
			Check(err)
			return kilobytes * 1024 / 1e6
		}
	}
	panic(name + " is not in /proc/self/status")
}

// ForgetPeak lets the peak begin anew.
func ForgetPeak() { Check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) }

// Control sends a control request to the server and returns its response.
func Control(port int, request string) string {
	response, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/control/%s", port, request), "", nil)
	Check(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	Check(err)
	if response.StatusCode != http.StatusOK {
		panic(response.Status)
	}
	return string(answer)
}

// Number parses a resourceVersion.
func Number(text string) uint64 {
	parsed, err := strconv.ParseUint(text, 10, 64)
	Check(err)
	return parsed
}

// Check panics if there is an error.
func Check(err error) {
	if err != nil {
		panic(err)
	}
}
