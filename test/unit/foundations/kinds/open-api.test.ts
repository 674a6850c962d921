import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiVersionOf, builtInKinds, kindRegistry } from '../../../../lib/foundations/kinds/all.ts'
import { openApiDocument, openApiIndex } from '../../../../lib/foundations/kinds/schema/open-api.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON documents
type Document = any

const registry = kindRegistry(builtInKinds)
const documents: Document[] = builtInKinds.map(({ group, versions }) =>
  openApiDocument(registry, group, versions[0]!.name),
)

test('lists a document for each group and version, with a hash that follows its content', () => {
  const { paths }: Document = openApiIndex(registry)
  assert.deepEqual(Object.keys(paths), [
    'api/v1',
    'apis/apiextensions.k8s.io/v1',
    'apis/fleet.keelson.dev/v1alpha1',
    'apis/fluxcd.controlplane.io/v1',
    'apis/helm.toolkit.fluxcd.io/v2',
    'apis/image.toolkit.fluxcd.io/v1',
    'apis/kustomize.toolkit.fluxcd.io/v1',
    'apis/notification.toolkit.fluxcd.io/v1',
    'apis/notification.toolkit.fluxcd.io/v1beta3',
    'apis/rbac.authorization.k8s.io/v1',
    'apis/source.extensions.fluxcd.io/v1beta1',
    'apis/source.toolkit.fluxcd.io/v1',
    'apis/source.toolkit.fluxcd.io/v1beta2',
  ])
  const { paths: without }: Document = openApiIndex(registry.without('', 'Event'))
  assert.notEqual(paths['api/v1'].serverRelativeURL, without['api/v1'].serverRelativeURL)
  assert.equal(
    paths['apis/source.toolkit.fluxcd.io/v1'].serverRelativeURL,
    without['apis/source.toolkit.fluxcd.io/v1'].serverRelativeURL,
  )
})

test('refers to nothing that the document does not hold', () => {
  for (const document of documents) {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
    assert.ok(references.length > 0)
    for (const [, name] of references) assert.ok(Object.hasOwn(document.components.schemas, name!), name)
  }
})

test('describes to kubectl the fields of a kind, and the patches that it accepts', () => {
  for (const [index, kind] of builtInKinds.entries()) {
    const document = documents[index]!
    const gvk = { group: kind.group, kind: kind.kind, version: kind.versions[0]!.name }
    const schemas: Document[] = Object.values(document.components.schemas)
    const own = schemas.filter(
      schema => JSON.stringify(schema['x-kubernetes-group-version-kind']) === JSON.stringify([gvk]),
    )
    assert.deepEqual(
      own.map(({ properties }) => Object.keys(properties)),
      [['apiVersion', 'kind', 'metadata', ...Object.keys(kind.versions[0]!.schema.properties!)]],
    )
    const root = `${kind.group ? '/apis' : '/api'}/${apiVersionOf(kind)}`
    const { patch } = document.paths[`${root}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}/{name}`]
    assert.deepEqual(patch['x-kubernetes-group-version-kind'], gvk)
    assert.ok(patch.parameters.some(({ name }: Document) => name === 'fieldValidation'))
    const types = Object.keys(patch.requestBody.content)
    assert.equal(types.includes('application/strategic-merge-patch+json'), kind.native === true)
  }
})

test('has no document for what is not served', () => {
  assert.equal(openApiDocument(registry, 'apps', 'v1'), undefined)
})
