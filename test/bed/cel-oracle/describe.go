package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// describe writes a value so that values of different types never look alike.
func describe(value ref.Val) string {
	switch v := value.(type) {
	case types.Bool:
		return fmt.Sprint(bool(v))
	case types.Int:
		return fmt.Sprintf("int %d", int64(v))
	case types.Uint:
		return fmt.Sprintf("uint %d", uint64(v))
	case types.Double:
		return "double " + number(float64(v))
	case types.String:
		return quoted(string(v))
	case types.Bytes:
		return fmt.Sprintf("bytes %x", []byte(v))
	case types.Null:
		return "null"
	case types.Timestamp:
		return fmt.Sprintf("timestamp %d %d", v.Unix(), v.Nanosecond())
	case types.Duration:
		return fmt.Sprintf("duration %d", v.Duration.Nanoseconds())
	case *types.Optional:
		if !v.HasValue() {
			return "optional()"
		}
		return "optional(" + describe(v.GetValue()) + ")"
	case *types.Type:
		return "type " + v.TypeName()
	case traits.Mapper:
		entries := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, describe(key)+": "+describe(v.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case traits.Lister:
		items := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, describe(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprintf("%T %v", value, value)
}

// number writes a double as JavaScript does.
func number(value float64) string {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "Infinity"
	case math.IsInf(value, -1):
		return "-Infinity"
	}
	text, _ := json.Marshal(value)
	return string(text)
}

func quoted(text string) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(strings.ToValidUTF8(text, "\ufffd"))
	return strings.TrimSuffix(buffer.String(), "\n")
}
