import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_HISTORY } from '../../../../lib/engines/kustomize/object-snapshot.ts'
import { Resource } from '../../../../lib/engines/kustomize/resource.ts'
import { BuildSchema } from '../../../../lib/engines/kustomize/schema/build-schema.ts'
import { fromJson } from '../../../../lib/engines/yaml/from-json.ts'

const ORIGIN = { file: 'a.yaml', overlay: '' }
const schema = new BuildSchema()
const configMap = (name: string): Resource =>
  new Resource(fromJson({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }), schema, ORIGIN)

test('an object that a patch deleted is gone, also one that the build before knew', () => {
  for (const resource of [configMap('a'), Resource.at(configMap('a').releaseSnapshot(), schema, ORIGIN)]) {
    assert.equal(resource.isEmpty, false)
    assert.equal(resource.view?.kind, 'map')
    resource.node = undefined
    assert.deepEqual([resource.isEmpty, resource.view, resource.node, resource.kind], [true, undefined, undefined, ''])
  }
})

test('an object is the same to others as long as its id is, and what it was called before', () => {
  const identity = (name: string, change: Parameters<Resource['remember']>[0] = {}): string => {
    const resource = configMap(name)
    resource.remember(change)
    const told = resource.identity()()
    // Nor does it matter whether a build before knew it.
    assert.equal(Resource.at(resource.releaseSnapshot(), schema, ORIGIN).identity()(), told)
    return told
  }
  const previous = [{ name: 'old', namespace: '', kind: 'ConfigMap' }]
  assert.equal(identity('a'), identity('a'))
  assert.equal(
    identity('a', { previous, prefixes: ['p-'] }),
    identity('a', { ...NO_HISTORY, previous, prefixes: ['p-'] }),
  )
  const different = [identity('a'), identity('b'), identity('a', { previous }), identity('a', { prefixes: ['p-'] })]
  assert.equal(new Set(different).size, different.length)
})
