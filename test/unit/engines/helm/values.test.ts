import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readValues } from '../../../../lib/engines/helm/read-yaml.ts'
import { type ReferredValues, releaseValues, valuesDigest } from '../../../../lib/engines/helm/release-values.ts'
import { type SetForm, setValues } from '../../../../lib/engines/helm/set-values.ts'
import { mergeUserValues } from '../../../../lib/engines/helm/user-values.ts'
import { writeJson } from '../../../../lib/engines/template/format/write-json.ts'
import type { ValueMap } from '../../../../lib/engines/template/values/value.ts'

const yaml = (text: string): ValueMap => readValues(Buffer.from(text))
const set = (text: string, form: SetForm = 'set', before = ''): string => {
  const values = yaml(before)
  try {
    setValues(values, text, form, path => `<${path}>`)
  } catch (error) {
    return (error as Error).message
  }
  return writeJson(values)
}

test('--set: paths, lists, escapes, types (HR-033)', () => {
  assert.equal(set('a=1,b.c=x,b.d=true'), '{"a":1,"b":{"c":"x","d":true}}')
  assert.equal(set('a[1]=x,a[0].b=null,c={1,x,}'), '{"a":[{"b":null},"x"],"c":[1,"x",""]}')
  assert.equal(set('a\\.b=x\\,y,c=\\{'), '{"a.b":"x,y","c":"{"}')
  assert.equal(
    set('a=01,b=0,c=-5,d=1.5,e=9223372036854775808,f=TRUE,g='),
    '{"a":"01","b":0,"c":-5,"d":"1.5","e":"9223372036854775808","f":true,"g":""}',
  )
  assert.equal(set('a[0][1]=x,a[0][0]=y'), '{"a":[["y","x"]]}')
  assert.equal(set('a.b=1', 'set', 'a: {c: 2}'), '{"a":{"b":1,"c":2}}')
})

test('--set: what is refused (HR-033)', () => {
  assert.equal(set('a'), 'failed parsing --set data: key "a" has no value')
  assert.equal(set('a,b=1'), 'failed parsing --set data: key "a" has no value (cannot end with ,)')
  assert.equal(set('a={1'), "failed parsing --set data: list must terminate with '}'")
  assert.equal(set('a[-1]=x'), 'failed parsing --set data: negative -1 index not allowed')
  assert.equal(
    set('a[x]=1'),
    'failed parsing --set data: error parsing index: strconv.Atoi: parsing "x": invalid syntax',
  )
  assert.equal(
    set('a[65537]=1'),
    'failed parsing --set data: index of 65537 is greater than maximum supported index of 65536',
  )
  assert.equal(
    set(`${'a.'.repeat(31)}b=1`),
    'failed parsing --set data: value name nested level is greater than maximum supported nested level of 30',
  )
  assert.equal(
    set('a.b=1', 'set', 'a: x'),
    'failed parsing --set data: unable to parse key: interface conversion: interface {} is string, not map[string]interface {}',
  )
  assert.equal(set('__proto__.x=1'), '{"__proto__":{"x":1}}')
})

test('the other forms of --set', () => {
  assert.equal(set('a=1,b={2}', 'set-string'), '{"a":"1","b":["2"]}')
  assert.equal(set('a={"x":[1,"},"]},b=[1],c= ,d=null', 'set-json'), '{"a":{"x":[1,"},"]},"b":[1],"c":null,"d":null}')
  assert.equal(set('a={', 'set-json'), 'failed parsing --set-json data a={')
  assert.equal(set('a.b=x,y={1}\\', 'set-literal'), '{"a":{"b":"x,y={1}\\\\"}}')
  assert.equal(set('a=f1,b=f2', 'set-file'), '{"a":"<f1>","b":"<f2>"}')
})

test('files, then the forms in the order of helm', () => {
  const values = mergeUserValues({
    files: [
      { path: 'a', content: Buffer.from('a: {x: 1, w: 2}\nl: [1]\n---\nb: 1\n') },
      { path: 'b', content: Buffer.from('a: {w: 3}\nl: [2]\n') },
    ],
    sets: { 'set-json': ['{"a":{"z":1}}', 'b=2'], set: ['b=3'], 'set-string': ['a.x=4'] },
  })
  assert.equal(writeJson(values), '{"a":{"w":3,"x":"4","z":1},"b":3,"l":[2]}')
  assert.throws(
    () => mergeUserValues({ files: [{ path: 'f.yaml', content: Buffer.from('- a') }] }),
    /^HelmError: failed to parse f.yaml: cannot unmarshal yaml document: .*cannot unmarshal array into Go value of type map\[string]interface \{}$/,
  )
})

test('valuesFrom are merged in order, inline values on top (HR-026, HR-031)', () => {
  const merged = (references: ReferredValues[], inline: string) => writeJson(releaseValues(references, yaml(inline)))
  assert.equal(
    merged([{ content: 'a: {x: 1, l: [1]}' }, { content: 'a: {x: 2}\nb: 1' }, { content: '' }], 'a: {l: [3]}'),
    '{"a":{"l":[3],"x":2},"b":1}',
  )
  assert.throws(() => merged([{ content: '- a' }], ''), /cannot unmarshal array into Go value of type common.Values/)
})

test('a target path sets one value, typed unless it is in quotes or literal (HR-027, HR-028, HR-029)', () => {
  const at = (content: string, targetPath: string, literal = false, inline = '') =>
    writeJson(releaseValues([{ content, targetPath, literal }], yaml(inline)))
  assert.equal(at('5', 'a.b', false, 'a: {b: 1, c: 2}'), '{"a":{"b":5,"c":2}}')
  assert.equal(at('"5"', 'a.b'), '{"a":{"b":"5"}}')
  assert.equal(at('{1,2}', 'a.l'), '{"a":{"l":[1,2]}}')
  assert.equal(at('{"k": [1, 2]}\\n', 'a\\.b', true), '{"a.b":"{\\"k\\": [1, 2]}\\\\n"}')
})

test('the digest of values is that of helm-controller (HR-034)', () => {
  const digest = (text: string) => valuesDigest(yaml(text))
  assert.equal(digest(''), 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  // The next two are of fluxcd/pkg's own tests.
  assert.equal(
    digest(
      'replicas: 3\nimage: {tag: latest, repository: nginx}\nports: [{protocol: TCP, port: 8080}, {port: 9090, protocol: UDP}]',
    ),
    'sha256:fcdc2b0de1581a3633ada4afee3f918f6eaa5b5ab38c3fef03d5b48d3f85d9f6',
  )
  assert.equal(
    digest(
      'replicas: 3\ntest: {632bd80235a05f4192aefade: value1, 632bd80ddf416cf32fd50679: value2, 632bd817c559818a52307da2: value3, 632bd82398e71231a98004b6: value4}',
    ),
    'sha256:8a980fcbeadd6f05818f07e8aec14070c22250ca3d96af1fcd5f93b3e85b4d70',
  )
})
