package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strconv"
	"sync"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"crdkit/control-plane/internal/kinds"
)

var knownKinds = sync.OnceValues(kinds.Scheme)

// judgeKind answers a random object of a kind, as Kubernetes writes it in JSON and in protobuf. The latter is empty for a kind
// that has no form in it.
func judgeKind(fields []string) []string {
	written, message, err := randomObject(fields[0], fields[1], fields[2])
	if err != nil {
		return []string{"error", err.Error()}
	}
	return []string{string(written), hex.EncodeToString(message)}
}

// judgeEncoding answers the message of an object that is given as JSON.
func judgeEncoding(fields []string) []string {
	known, err := knownKinds()
	if err != nil {
		return []string{"error", err.Error()}
	}
	object, _, err := jsonserializer.NewSerializerWithOptions(
		jsonserializer.DefaultMetaFactory, known, known, jsonserializer.SerializerOptions{},
	).Decode([]byte(fields[0]), nil, nil)
	if err != nil {
		return []string{"error", err.Error()}
	}
	var message bytes.Buffer
	if err := protobuf.NewSerializer(known, known).Encode(object, &message); err != nil {
		return []string{"error", err.Error()}
	}
	return []string{"", hex.EncodeToString(message.Bytes())}
}

// judgeMessage answers the JSON of a message.
func judgeMessage(fields []string) []string {
	written, err := decodeMessage(fields[0])
	if err != nil {
		return []string{"error", err.Error()}
	}
	return []string{"", string(written)}
}

// judgeEvent answers the JSON of the event in a frame of a watch.
func judgeEvent(fields []string) []string {
	frame, err := hex.DecodeString(fields[0])
	if err != nil {
		return []string{"error", err.Error()}
	}
	var event metav1.WatchEvent
	if err := event.Unmarshal(frame); err != nil {
		return []string{"error", err.Error()}
	}
	object, err := decodeMessage(hex.EncodeToString(event.Object.Raw))
	if err != nil {
		return []string{"error", err.Error()}
	}
	written, err := json.Marshal(metav1.WatchEvent{Type: event.Type, Object: runtime.RawExtension{Raw: object}})
	if err != nil {
		return []string{"error", err.Error()}
	}
	return []string{"", string(written)}
}

func decodeMessage(digits string) ([]byte, error) {
	known, err := knownKinds()
	if err != nil {
		return nil, err
	}
	message, err := hex.DecodeString(digits)
	if err != nil {
		return nil, err
	}
	object, kind, err := protobuf.NewSerializer(known, known).Decode(message, nil, nil)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)
	return json.Marshal(object)
}

func randomObject(apiVersion, kind, seed string) ([]byte, []byte, error) {
	known, err := knownKinds()
	if err != nil {
		return nil, nil, err
	}
	number, err := strconv.ParseInt(seed, 10, 64)
	if err != nil {
		return nil, nil, err
	}
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, nil, err
	}
	object, err := known.New(version.WithKind(kind))
	if err != nil {
		return nil, nil, err
	}
	fillerOf(number).Fill(object)
	object.GetObjectKind().SetGroupVersionKind(version.WithKind(kind))
	var message bytes.Buffer
	if _, hasMessage := reflect.TypeOf(object).MethodByName("MarshalToSizedBuffer"); hasMessage {
		// Nil bytes in a map are empty ones after they are read.
		serializer := protobuf.NewSerializer(known, known)
		if err := serializer.Encode(object, &message); err != nil {
			return nil, nil, err
		}
		if object, _, err = serializer.Decode(message.Bytes(), nil, nil); err != nil {
			return nil, nil, err
		}
		object.GetObjectKind().SetGroupVersionKind(version.WithKind(kind))
		message.Reset()
		if err := serializer.Encode(object, &message); err != nil {
			return nil, nil, err
		}
	}
	var written bytes.Buffer
	err = json.NewEncoder(&written).Encode(object)
	return written.Bytes(), message.Bytes(), err
}

// fillerOf returns what fills objects with values that have the same form after they are written and read.
func fillerOf(seed int64) *randfill.Filler {
	const day = 86_400
	texts := []string{"", "a", "<é>&", "line\n\u2028", "\"quoted\\\"", "b/c"}
	documents := []string{`{}`, `{"a":[1,"<x>",null],"b":{"c":1.5}}`, `"text"`, `[true]`, `17`}
	quantities := []string{"0", "1", "1500m", "2Gi", "-3k", "1e9"}
	return randfill.NewWithSeed(seed).NilChance(0.4).NumElements(1, 2).MaxDepth(12).Funcs(
		func(text *string, c randfill.Continue) { *text = texts[c.Intn(len(texts))] },
		func(number *float64, c randfill.Continue) { *number = float64(c.Intn(41)-20) / 4 },
		func(value *metav1.Time, c randfill.Continue) {
			*value = metav1.Unix(c.Int63n(40_000*day)-10_000*day, 0)
		},
		func(value *metav1.MicroTime, c randfill.Continue) {
			*value = metav1.NewMicroTime(time.UnixMicro((c.Int63n(40_000*day)-10_000*day)*1_000_000 + c.Int63n(1_000_000)))
		},
		func(value *resource.Quantity, c randfill.Continue) {
			*value = resource.MustParse(quantities[c.Intn(len(quantities))])
		},
		func(value *intstr.IntOrString, c randfill.Continue) {
			*value = intstr.FromInt32(int32(c.Uint32()))
			if c.Intn(2) > 0 {
				*value = intstr.FromString(texts[c.Intn(len(texts))])
			}
		},
		func(value *metav1.FieldsV1, c randfill.Continue) { value.Raw = []byte(documents[c.Intn(2)]) },
		func(value *runtime.RawExtension, c randfill.Continue) { value.Raw = []byte(documents[c.Intn(2)]) },
		func(value *apiextensions.JSON, c randfill.Continue) {
			value.Raw = []byte(documents[c.Intn(len(documents))])
		},
		func(value *apiextensions.JSONSchemaPropsOrBool, c randfill.Continue) {
			value.Allows = c.Intn(2) > 0
			if value.Allows {
				c.Fill(&value.Schema)
			}
		},
		func(value *apiextensions.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Intn(2) > 0 {
				value.JSONSchemas = make([]apiextensions.JSONSchemaProps, 1)
				c.Fill(&value.JSONSchemas[0])
			} else {
				value.Schema = &apiextensions.JSONSchemaProps{}
				c.Fill(value.Schema)
			}
		},
		func(value *apiextensions.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Intn(2) > 0 {
				value.Property = texts[:1+c.Intn(2)]
			} else {
				value.Schema = &apiextensions.JSONSchemaProps{}
				c.Fill(value.Schema)
			}
		},
		// Items of lists have no type of their own.
		func(*metav1.TypeMeta, randfill.Continue) {},
		// The cells of tables.
		func(value *any, c randfill.Continue) { *value = texts[c.Intn(len(texts))] },
	)
}
