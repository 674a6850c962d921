import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fluxKindNamed, parseTarget } from '../../../lib/cli/flux-kinds.ts'

test('a kind is found by each of its names, in any case', () => {
  for (const name of ['Kustomization', 'kustomizations', 'ks', 'KS'])
    assert.equal(fluxKindNamed(name).kind, 'Kustomization')
  const { kind, name } = parseTarget('hr/podinfo')
  assert.deepEqual([kind.kind, name], ['HelmRelease', 'podinfo'])
})

test('a kind that nobody knows is refused with the kinds that there are', () => {
  assert.throws(
    () => parseTarget('kustomisation/a'),
    /^.*unknown kind 'kustomisation': the kinds are .*\bkustomization\b/,
  )
})
