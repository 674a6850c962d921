import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streamOf } from '../../bed/fast-import.ts'

const change = { ref: 'refs/heads/main', parent: undefined, seconds: 60, message: 'm', changes: {} }
const commands = (commit: Parameters<typeof streamOf>[0]) => Buffer.from(streamOf(commit)).toString()
const head = `commit refs/heads/main
mark :1
committer Keelson Tests <tests@keelson.test> 60 +0000
data 1
m
`

test('writes files, programs, links and deletions', () => {
  const changes = {
    'a.yaml': 'ä',
    'run.sh': { executable: '#!' },
    link: { linkTo: 'a.yaml' },
    gone: null,
  }
  assert.equal(
    commands({ ...change, parent: 'abc', changes }),
    `${head}from abc
M 100644 inline "a.yaml"
data 2
ä
M 100755 inline "run.sh"
data 2
#!
M 120000 inline "link"
data 6
a.yaml
D "gone"
get-mark :1
`,
  )
})

test('keeps bytes that are no text as they are', () => {
  const stream = Buffer.from(streamOf({ ...change, changes: { binary: Uint8Array.of(0, 255, 10) } }))
  assert.deepEqual(stream.subarray(stream.indexOf('data 3') + 7).subarray(0, 3), Buffer.of(0, 255, 10))
})

test('quotes paths that would end the command', () => {
  assert.ok(commands({ ...change, changes: { 'a"\\\nb c': null } }).includes('D "a\\"\\\\\\nb c"\n'))
})

test('tags the commit, with or without a message', () => {
  assert.equal(commands({ ...change, tag: 'v1' }), `${head}reset refs/tags/v1\nfrom :1\nget-mark :1\n`)
  assert.equal(
    commands({ ...change, tag: 'v1', annotation: 'one' }),
    `${head}tag v1\nfrom :1\ntagger Keelson Tests <tests@keelson.test> 60 +0000\ndata 3\none\nget-mark :1\n`,
  )
})
