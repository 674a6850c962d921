import assert from 'node:assert/strict'
import { test } from 'node:test'
import { substituteVariables } from '../../../../lib/engines/substitute/substitute-variables.ts'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import { builtInDefinitions } from '../../../../lib/hub/store/built-in-definitions.ts'

test('HR-003 the definition of HelmReleases, exported and built again, keeps its ${...} where variables are substituted', () => {
  const found = builtInDefinitions(builtInKinds).find(({ metadata }) => metadata.name.startsWith('helmreleases.'))!
  const [version] = found.spec.versions
  const schema = { ...version!.schema, description: 'as ${var} and ${other:=x}' }
  const exported = { ...found, spec: { ...found.spec, versions: [{ ...version!, schema }] } }
  assert.equal(substituteVariables(exported, new Map([['var', 'gone']]), { strict: true }), exported)
})

test('the definitions that Flux marks against substitution are marked, others are not', () => {
  const marked = builtInDefinitions(builtInKinds)
    .filter(({ metadata }) => metadata.annotations?.['kustomize.toolkit.fluxcd.io/substitute'] === 'disabled')
    .map(({ spec }) => spec.names.kind)
  assert.deepEqual(marked.sort(), ['Alert', 'HelmRelease', 'Kustomization', 'Provider', 'Receiver'])
})
