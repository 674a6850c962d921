import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { InvalidPolicy } from '../../../../lib/engines/image-policy/invalid-policy.ts'
import { latestTag } from '../../../../lib/engines/image-policy/latest-tag.ts'
import { latestTagCases } from './latest-tag-cases.ts'

type Answer = { readonly tag: string } | { readonly error: string; readonly isInvalid: boolean }

const recorded: Readonly<Record<string, Answer>> = JSON.parse(
  readFileSync(new URL('latest-tag.recorded.json', import.meta.url), 'utf8'),
)

for (const [title, { policy, filterTags, tags }] of Object.entries(latestTagCases))
  test(`IM-022..027 the latest tag is image-reflector-controller's: ${title}`, () => {
    const expected = recorded[title]!
    if ('tag' in expected) return assert.equal(latestTag(policy, filterTags, tags), expected.tag)
    assert.throws(
      () => latestTag(policy, filterTags, tags),
      (error: Error) => {
        // Its reconciler says in front which part of the spec can't be used.
        assert.equal(error.message.replace(/^(?:invalid policy|failed to filter tags): /, ''), expected.error)
        assert.equal(error instanceof InvalidPolicy, expected.isInvalid)
        return true
      },
    )
  })
