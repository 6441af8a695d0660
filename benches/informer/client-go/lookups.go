package main

import (
	"fmt"
	"sort"
	"time"

	"k8s.io/client-go/tools/cache"

	"crdkit/benches/shared"
)

const (
	getsAtOnce = 1000
	rounds     = 200
	namespaces = 100
	apps       = 50
)

// lookUp measures lookups of objects, in microseconds. Keys are created beforehand.
func lookUp(indexer cache.Indexer, objects int, figures map[string]float64) {
	keys := make([]string, objects)
	for at := range keys {
		number := at * 61_813 % objects
		keys[at] = fmt.Sprintf("team-%03d/machine-%07d", number*namespaces/objects, number)
	}
	figures["get_hot"] = gets(indexer, func(int) string { return keys[0] })
	figures["get_random"] = gets(indexer, func(at int) string { return keys[at%len(keys)] })
	figures["by_namespace"] = median(rounds, func(round int) {
		found(indexer.ByIndex(cache.NamespaceIndex, fmt.Sprintf("team-%03d", round*7%namespaces)))
	})
	figures["by_label"] = median(rounds, func(round int) {
		found(indexer.ByIndex(byApp, fmt.Sprintf("shop-%02d", round*7%apps)))
	})
	figures["by_namespace_hot"] = median(rounds, func(int) {
		found(indexer.ByIndex(cache.NamespaceIndex, fmt.Sprintf("team-%03d", 0)))
	})
	figures["by_label_hot"] = median(rounds, func(int) {
		found(indexer.ByIndex(byApp, fmt.Sprintf("shop-%02d", 0)))
	})
	figures["all"] = median(rounds/10, func(int) { found(indexer.List(), nil) })
	figures["snapshot"] = figures["all"]
}

func gets(indexer cache.Indexer, key func(int) string) float64 {
	times := make([]float64, rounds)
	chosen := make([]string, getsAtOnce)
	for round := range times {
		for at := range chosen {
			chosen[at] = key(round*getsAtOnce + at)
		}
		began := time.Now()
		for _, key := range chosen {
			if _, exists, err := indexer.GetByKey(key); err != nil || !exists {
				panic("the object is there")
			}
		}
		times[round] = micros(began) / getsAtOnce
	}
	return middle(times)
}

func found(objects []any, err error) {
	shared.Check(err)
	if len(objects) == 0 {
		panic("nothing was found")
	}
}

func median(rounds int, call func(int)) float64 {
	times := make([]float64, rounds)
	for round := range times {
		began := time.Now()
		call(round)
		times[round] = micros(began)
	}
	return middle(times)
}

func micros(began time.Time) float64 { return time.Since(began).Seconds() * 1e6 }

func middle(times []float64) float64 {
	sort.Float64s(times)
	return (times[(len(times)-1)/2] + times[len(times)/2]) / 2
}
