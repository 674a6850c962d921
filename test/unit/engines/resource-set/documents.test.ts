/** Which documents a template renders to, and which of them are objects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCommonMetadata } from '../../../../lib/engines/resource-set/common-metadata.ts'
import { identityOf } from '../../../../lib/engines/resource-set/identity.ts'
import { readObject } from '../../../../lib/engines/resource-set/read-objects.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { configMap, names, objectsOf } from './render-bed.ts'

test('documents are cut at their lines, and only objects of a cluster are taken', () => {
  const named = (name: string, kind = 'A') => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\n`
  const namesIn = (resourcesTemplate: string) => names({ resourcesTemplate }, {})
  assert.deepEqual(namesIn(`${named('a')}--- # comment\n${named('b')}---\t\n${named('c')}---`), ['a', 'b', 'c'])
  assert.deepEqual(namesIn(`---\n---\nnull\n---\n${named('a')}`), ['a'])
  assert.deepEqual(namesIn(named('a', 'ThingList')), ['a'])
  assert.deepEqual(namesIn('kind: A\nmetadata: {name: a}\n'), [])
  const kustomization = (group: string) => named('k', 'Kustomization').replace('v1', `${group}/v1`)
  assert.deepEqual(namesIn(kustomization('kustomize.config.k8s.io')), [])
  assert.deepEqual(namesIn(kustomization('kustomize.toolkit.fluxcd.io')), ['k'])
  assert.deepEqual(namesIn(`${named('a')}note: x --- y\n`), ['a'])
  assert.deepEqual(namesIn('apiVersion: v1\nkind: A\n'), [])
  const items = `items:\n- ${JSON.stringify(configMap('item'))}\n`
  assert.deepEqual(namesIn(`kind: ThingList\n${items}`), ['item'])
  assert.deepEqual(namesIn(`${named('a', 'ListThing')}${items}`), ['a'])
  assert.deepEqual(namesIn(`kind: X\n${named('a')}`), ['a'])
  assert.equal(readObject('---\nkind: A\n')!.kind, 'A')
  assert.deepEqual(namesIn(named('a').replace('v1', 'kustomize.config.k8s.io/v1')), ['a'])
})

test('what is no object is reported by its type', () => {
  const why = (resourcesTemplate: string) => {
    try {
      return String(names({ resourcesTemplate }, {}))
    } catch (error) {
      return (error as Error).message.split('while decoding JSON: ')[1]
    }
  }
  const into = 'into Go value of type map[string]interface {}'
  assert.equal(why('[1]'), `json: cannot unmarshal array ${into}`)
  assert.equal(why('true'), `json: cannot unmarshal bool ${into}`)
  assert.equal(why('1'), `json: cannot unmarshal number ${into}`)
  assert.equal(why('12345678901234567890'), `json: cannot unmarshal number ${into}`)
  assert.equal(why('text'), `json: cannot unmarshal string ${into}`)
  assert.equal(why('kind: ""'), `Object 'Kind' is missing in '{"kind":""}'`)
  assert.equal(why('kind: 1'), `Object 'Kind' is missing in '{"kind":1}'`)
})

test('RS-052 RS-078 marks that are not all text count as none, and common ones are added to those there are', () => {
  const odd = { labels: { a: 1 }, annotations: { b: true } }
  const [object] = objectsOf({ resources: [configMap('a', {}, odd)], commonMetadata: { labels: { l: 'x' } } })
  assert.deepEqual(object!.metadata, { name: 'a', namespace: 'apps', labels: { l: 'x' }, annotations: { b: true } })
  const [other] = objectsOf({ resources: [configMap('a', {}, odd)], commonMetadata: { annotations: { l: 'x' } } })
  assert.deepEqual(other!.metadata, { name: 'a', namespace: 'apps', labels: { a: 1 }, annotations: { l: 'x' } })
  const mixed = { labels: { a: 1, b: 'x' } }
  const [third] = objectsOf({ resources: [configMap('a', {}, mixed)], commonMetadata: { labels: { l: 'x' } } })
  assert.deepEqual(third!.metadata.labels, { l: 'x' })
  const commonMetadata = { labels: { l: 'x' }, annotations: { n: 'y' } }
  const [bare] = objectsOf({ resources: [{ apiVersion: 'v1', kind: 'A' }], commonMetadata }, {})
  assert.deepEqual(bare!.metadata, commonMetadata)
  assert.equal(withCommonMetadata(plainObject), plainObject)
  const [plain] = objectsOf({ resources: [configMap('a')], commonMetadata: {} })
  assert.deepEqual(plain!.metadata, { name: 'a', namespace: 'apps' })
})

const plainObject = { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' } }

test('a name that is no text is none', () => {
  const numbered = { ...plainObject, metadata: { name: 1 } } as unknown as KubernetesObject
  assert.deepEqual(identityOf(numbered), { group: '', kind: 'A', namespace: '', name: '' })
})

test('a resource that renders to nothing adds no object', () => {
  assert.deepEqual(objectsOf({ resources: [{ '<< if false >>a': 1, z: '<< end >>' }] }, {}), [])
})

test('rendered text is read as an API server reads YAML: yes is true, and of a key given twice the last counts', () => {
  assert.equal(readObject('kind: A\nkind: B\nx: yes\n')!.kind, 'B')
  assert.equal(readObject('kind: A\nx: yes\n')!.x, true)
})

test('what YAML says is wrong stays the cause', () => {
  assert.throws(
    () => readObject('a: b: c'),
    ({ message, cause }: Error) =>
      message.startsWith('error converting YAML to JSON: yaml: ') && (cause as Error).name === 'YamlError',
  )
})
