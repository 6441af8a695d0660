package main

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

// meter measures wall-clock time and processor time.
type meter struct {
	wall time.Time
	cpu  float64
}

func start() meter { return meter{wall: time.Now(), cpu: cpu()} }

func (m meter) add(figures map[string]float64, name string) {
	figures[name+"_wall"] = time.Since(m.wall).Seconds()
	figures[name+"_cpu"] = cpu() - m.cpu
}

func cpu() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// megabytes returns VmRSS or VmHWM of this process.
func megabytes(name string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kilobytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(rest, " kB")), 64)
			check(err)
			return kilobytes * 1024 / 1e6
		}
	}
	panic(name + " is not in /proc/self/status")
}

func forgetPeak() { check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) }

// control sends a control request to the server and returns its response.
func control(port int, request string) string {
	response, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/control/%s", port, request), "", nil)
	check(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	check(err)
	if response.StatusCode != http.StatusOK {
		panic(response.Status)
	}
	return string(answer)
}

func number(text string) uint64 {
	parsed, err := strconv.ParseUint(text, 10, 64)
	check(err)
	return parsed
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
