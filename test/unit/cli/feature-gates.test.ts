import assert from 'node:assert/strict'
import { test } from 'node:test'
import { featureGates } from '../../../lib/cli/feature-gates.ts'

test("Flux's feature gates are settings of the hub, the later the stronger", () => {
  assert.deepEqual(featureGates('StrictPostBuildSubstitutions=false, DisableFailFastBehavior=true'), {
    strictSubstitution: false,
    failFast: false,
  })
  assert.deepEqual(featureGates('MigrateAPIVersion=false', featureGates('MigrateAPIVersion=true')), {
    migrateApiVersion: false,
  })
})

test('a gate that there is not, or a value that is neither true nor false, is refused with what there is', () => {
  assert.throws(() => featureGates('Nothing=true'), /There is no gate 'Nothing'; there are ExternalArtifact, /)
  assert.throws(() => featureGates('ExternalArtifact'), /'ExternalArtifact' must end with =true or =false/)
})
