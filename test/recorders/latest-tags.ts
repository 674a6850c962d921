/**
 * node test/recorders/latest-tags.ts CHECKOUT: asks the policies of image-reflector-controller, of whose repository CHECKOUT is a clone, for
 * the latest of the tags in test/unit/engines/image-policy/latest-tag-cases.ts. Needs Go.
 */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { latestTagCases } from '../unit/engines/image-policy/latest-tag-cases.ts'

const cwd = resolve(process.argv[2]!)
const asker = join(cwd, 'internal/policy/asker_test.go')
const recorded = new URL('../unit/engines/image-policy/latest-tag.recorded.json', import.meta.url)

/** The package is internal: a test of it may ask. */
const program = `package policy

import (
	"encoding/json"
	"os"
	"testing"

	imagev1 "github.com/fluxcd/image-reflector-controller/api/v1"
)

type question struct {
	Policy imagev1.ImagePolicyChoice
	FilterTags *imagev1.TagFilter
	Tags []string
}

func choose(q question) (tag string, invalid, failed error) {
	policer, invalid := PolicerFromSpec(q.Policy)
	if invalid != nil {
		return "", invalid, nil
	}
	if q.FilterTags == nil {
		tag, failed = policer.Latest(q.Tags)
		return tag, nil, failed
	}
	filter, invalid := NewRegexFilter(q.FilterTags.Pattern, q.FilterTags.Extract)
	if invalid != nil {
		return "", invalid, nil
	}
	filter.Apply(q.Tags)
	tag, failed = policer.Latest(filter.Items())
	return filter.GetOriginalTag(tag), nil, failed
}

func TestAsk(t *testing.T) {
	questions := map[string]question{}
	if err := json.Unmarshal([]byte(os.Getenv("QUESTIONS")), &questions); err != nil {
		t.Fatal(err)
	}
	answers := map[string]any{}
	for title, question := range questions {
		tag, invalid, failed := choose(question)
		if invalid != nil {
			answers[title] = map[string]any{"error": invalid.Error(), "isInvalid": true}
		} else if failed != nil {
			answers[title] = map[string]any{"error": failed.Error(), "isInvalid": false}
		} else {
			answers[title] = map[string]any{"tag": tag}
		}
	}
	text, _ := json.Marshal(answers)
	os.WriteFile(os.Getenv("ANSWERS"), text, 0o644)
}
`

const answers = join(cwd, 'answers.json')
writeFileSync(asker, program)
try {
  execFileSync('go', ['test', '-count=1', '-run', 'TestAsk', './internal/policy'], {
    ...{ cwd, stdio: 'inherit' },
    env: { ...process.env, QUESTIONS: JSON.stringify(latestTagCases), ANSWERS: answers },
  })
  const { default: found } = (await import(answers, { with: { type: 'json' } })) as { default: object }
  const sorted = Object.keys(latestTagCases).map(title => [title, found[title as keyof typeof found]])
  writeFileSync(recorded, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`)
} finally {
  rmSync(asker, { force: true })
  rmSync(answers, { force: true })
}
