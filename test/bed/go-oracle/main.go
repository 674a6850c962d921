// Command go-oracle answers how Go writes numbers, texts and characters, how it reads numbers and booleans, and how it reads
// and writes durations: each line of its input is a question as JSON, each line of its output the texts that answer it.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

type question struct {
	// A number as text, with a verb of strconv.FormatFloat; `single` when it has 32 bits.
	Float     *string `json:"float"`
	Verb      string  `json:"verb"`
	Precision int     `json:"precision"`
	Single    bool    `json:"single"`
	Text      *string `json:"text"`
	Rune      *int64  `json:"rune"`
	Duration  *string `json:"duration"`
	// A text to read as a number and as a boolean.
	Parse *string `json:"parse"`
}

func answer(q question) []string {
	switch {
	case q.Float != nil:
		value, err := strconv.ParseFloat(*q.Float, 64)
		if err != nil {
			return []string{err.Error()}
		}
		size := 64
		if q.Single {
			size = 32
		}
		return []string{strconv.FormatFloat(value, q.Verb[0], q.Precision, size)}
	case q.Text != nil:
		text := *q.Text
		return []string{
			strconv.Quote(text), strconv.QuoteToASCII(text),
			strings.TrimSpace(text), strings.TrimLeftFunc(text, unicode.IsSpace),
		}
	case q.Duration != nil:
		duration, err := time.ParseDuration(*q.Duration)
		if err != nil {
			return []string{err.Error()}
		}
		return []string{strconv.FormatInt(int64(duration), 10), duration.String()}
	case q.Parse != nil:
		number, numberError := strconv.ParseFloat(*q.Parse, 64)
		truth, truthError := strconv.ParseBool(*q.Parse)
		return []string{outcome(strconv.FormatFloat(number, 'g', -1, 64), numberError), outcome(strconv.FormatBool(truth), truthError)}
	default:
		r := rune(*q.Rune)
		return []string{strconv.QuoteRune(r), strconv.QuoteRuneToASCII(r), fmt.Sprintf("%#U", r)}
	}
}

// Too large numbers are infinite, and no failure.
func outcome(text string, err error) string {
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return ""
	}
	return text
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			panic(err)
		}
		out.Encode(answer(q))
	}
}
