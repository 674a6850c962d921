import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageSetters } from '../../../../lib/engines/image-policy/image-setters.ts'
import { setFields } from '../../../../lib/engines/image-policy/set-fields.ts'

const digest = `sha256:${'a'.repeat(64)}`
const setters = imageSetters([
  { namespace: 'apps', name: 'app', latestRef: { name: 'ghcr.io/org/app', tag: '1.2.0' } },
  { namespace: 'apps', name: 'pinned', latestRef: { name: 'ghcr.io/org/pinned', tag: '2.0', digest } },
])
const set = (text: string) => setFields(Buffer.from(text), setters)

const deployment = (image: string) => `# A file of ours.
apiVersion: apps/v1
kind: Deployment
metadata: {name: app,   namespace: apps}   # in flow style


spec:
    replicas:   3
    template:
      spec:
        containers:
          - image: ${image} # {"$imagepolicy": "apps:app"}
            name: 'app'
          # the next one
          -   image: "x:1"     # a comment of ours
              name: b
`

test('IM-049 IM-052: a marker replaces the whole image, and every other character stays', () => {
  const changed = set(deployment('ghcr.io/org/app:1.0.0'))!
  assert.equal(changed.text, deployment('ghcr.io/org/app:1.2.0'))
  assert.deepEqual(changed.changes, [
    {
      object: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app', namespace: 'apps' },
      setter: 'apps:app',
      oldValue: 'ghcr.io/org/app:1.0.0',
      newValue: 'ghcr.io/org/app:1.2.0',
    },
  ])
  assert.equal(set(deployment('ghcr.io/org/app:1.2.0')), undefined, 'nothing to change')
})

test('IM-049 IM-050: markers for the name, the tag and the digest; the whole image has the digest', () => {
  const text = (name: string, tag: string, sum: string, whole: string) => `
name: ${name} # {"$imagepolicy": "apps:pinned:name"}
tag: ${tag} # {"$imagepolicy": "apps:pinned:tag"}
digest: ${sum} # {"$imagepolicy": "apps:pinned:digest"}
image: ${whole} # {"$imagepolicy": "apps:pinned"}
`
  const before = text('old', '"1.0"', 'sha256:0', 'old:1')
  assert.equal(set(before)!.text, text('ghcr.io/org/pinned', '"2.0"', digest, `ghcr.io/org/pinned:2.0@${digest}`))
})

test('IM-052: quotes stay; a plain value that is no string in YAML 1.1 gets some', () => {
  const marker = '# {"$imagepolicy": "apps:pinned:tag"}'
  assert.equal(set(`a: '1' ${marker}\n`)!.text, `a: '2.0' ${marker}\n`)
  assert.equal(set(`a: "1" ${marker}\n`)!.text, `a: "2.0" ${marker}\n`)
  assert.equal(set(`a: v1 ${marker}\n`)!.text, `a: "2.0" ${marker}\n`)
  assert.equal(set(`- v1 ${marker}\n`)!.text, `- "2.0" ${marker}\n`)
  const empty = '# {"$imagepolicy": "apps:app:digest"}'
  assert.equal(set(`a: sha256:0 ${empty}\n`)!.text, `a: "" ${empty}\n`)
})

test('IM-053: a marker of an unknown policy, or that is no JSON of strings, changes nothing', () => {
  for (const marker of [
    '{"$imagepolicy": "apps:other"}',
    '{"$imagepolicy": "app"}',
    '{"$imagepolicy": 1}',
    '{"$imagepolicy": "apps:app", "n": 1}',
    '{$imagepolicy: apps:app}',
    'see {"$imagepolicy": "apps:app"}',
  ])
    assert.equal(set(`a: x:1 # ${marker}\n`), undefined, marker)
})

test('IM-054: all documents, lists and maps of a file; a marker above an item of a list counts too', () => {
  const text = (image: string, tag: string) => `---
a:
  b: [1, 2]
  c: ${image} # {"$imagepolicy": "apps:app"}
---
args:
- run
# {"$imagepolicy": "apps:app:tag"}
- ${tag}
...
`
  const changed = set(text('x:1', 'old'))!
  assert.equal(changed.text, text('ghcr.io/org/app:1.2.0', '1.2.0'))
  assert.equal(changed.changes.length, 2)
})

// As image-automation-controller 1.2.1 does, except that it writes the whole file in its own style.
test('IM-054: a comment after a flow mapping or list marks none of its values, one on the line of a value does', () => {
  for (const text of ['a: {image: x:1}', 'a: [x:1]', '{image: x:1}'])
    assert.equal(set(`${text} # {"$imagepolicy": "apps:app"}\n`), undefined, text)
  const lines = (image: string) =>
    `a: {\n  image: ${image}, # {"$imagepolicy": "apps:app"}\n  b: [\n    ${image} # {"$imagepolicy": "apps:app"}\n  ]\n}\n`
  assert.equal(set(lines('x:1'))!.text, lines('ghcr.io/org/app:1.2.0'))
})

test('IM-051: what is no YAML is left alone', () => {
  assert.equal(set('a: {{ .Values.x }} # {"$imagepolicy": "apps:app"}\nb: [\n'), undefined)
  assert.equal(set('image: x:1 # {"$imagepolicy": "apps:app"}\n\ta: b\n'), undefined)
})

test('IM-052: CRLF, a byte order mark, anchors and multi-byte characters stay', () => {
  const text = (image: string) =>
    `\ufeff\u00e9: "\u{1f600}"\r\nimage: &i ${image} # {"$imagepolicy": "apps:app"}\r\nother: *i\r\n`
  assert.equal(set(text('x:1'))!.text, text('ghcr.io/org/app:1.2.0'))
})
