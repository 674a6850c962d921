import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { clusters } from '../../lib/cluster/clusters.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { needsCorpus } from '../conformance/corpus.ts'
import { compareLive, failuresOf, isRun, newWorld, perform, readScenario, runAll, toldBy } from './recorded-scenario.ts'

/**
 * What Flux did to a cluster, replayed with the apply engine alone: the objects as they are in git, without a build.
 * Compared are the lines of events, the failures, and the live objects with their field managers.
 */
const scenarios: Readonly<Record<string, string>> = {
  'ks-apply-basic': 'applies and labels objects',
  'ks-bad-label-value': 'tells of a label that is refused',
  'ks-drift-corrected': 'corrects drift',
  'ks-field-removed': 'removes fields that left the manifest',
  'ks-finalizer-blocks-prune': 'does not wait for an object that a finalizer holds',
  'ks-immutable-configmap-no-force': 'keeps immutable objects, and their secrets',
  'ks-immutable-force-annotation': 'recreates immutable objects that ask for it',
  'ks-invalid-objects': 'tells of invalid objects, and writes none',
  'ks-kubectl-takeover': 'takes over from kubectl',
  'ks-missing-namespace': 'tells of a missing namespace',
  'ks-namespace-in-build': 'applies a namespace before what is in it',
  'ks-no-namespace': 'tells of objects without a namespace',
  'ks-partial-apply-same-stage': 'writes nothing when one object is denied',
  'ks-prune': 'prunes',
  'ks-prune-already-gone': 'counts as deleted what is gone',
  'ks-prune-crd-and-cr': 'prunes custom objects before their definition',
  'ks-prune-failed': 'keeps what could not be pruned',
  'ks-prune-foreign-owner': 'leaves objects of others',
  'ks-reconcile-disabled': 'leaves disabled objects',
  'ks-reconcile-disabled-in-source': 'does not create disabled objects',
  'ks-ssa-ifnotpresent-cluster-scoped': 'creates once',
  'ks-ssa-ifnotpresent-preexisting': 'leaves what was there',
  'ks-ssa-merge-lists': 'merges lists with those of others',
  'ks-ssa-policies-foreign-manager': 'leaves the fields of other managers',
  'ks-huge-configmap': 'applies a large object',
  'ks-path-changed': 'prunes what another path lacks',
  'ks-target-namespace-in-build': 'applies to a target namespace',
  'ks-job-ttl': 'applies jobs that go by themselves',
  'ks-too-huge-configmap': 'tells of an object that is too large',
}

const bed = await cluster()
const remotes = clusters({ clock: Date })
const target = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
after(() => remotes.close())

for (const [id, promise] of Object.entries(scenarios)) {
  test(`${promise}, as Flux (${id})`, needsCorpus('flux/kustomization'), async () => {
    const scenario = readScenario(id)
    await bed.kubectl('create', 'namespace', id)
    const world = newWorld(bed, target)
    for (const [index, step] of scenario.steps.entries()) {
      for (const operation of step.do) await perform(world, id, operation)
      const seen = isRun(step) ? await runAll(world, scenario) : { told: [], failure: '' }
      assert.deepEqual(seen.told.toSorted(), toldBy(step).toSorted(), `step ${index}`)
      const failures = failuresOf(step)
      if (failures.length === 0) assert.equal(seen.failure, '', `step ${index}`)
      for (const failure of failures)
        assert.ok(seen.failure.includes(failure), `step ${index}: ${seen.failure}\nlacks ${failure}`)
      // Controllers take a moment: what is deleted in the background goes a little later.
      for (const [key, expected] of Object.entries(step.expect.live ?? {}))
        await eventually(async () => compareLive(world, key, expected, `step ${index}: ${key}`))
    }
  })
}

/** Flux drops these silently; we tell, and apply nothing. */
const refused: Readonly<Record<string, RegExp>> = {
  'ks-label-number': /\.metadata\.labels\.\w+: expected string/,
  'ks-unknown-field': /\.nonsense: field not declared in schema/,
}

for (const [id, failure] of Object.entries(refused)) {
  test(`refuses what Flux would drop without a word (${id})`, needsCorpus('flux/kustomization'), async () => {
    const scenario = readScenario(id)
    await bed.kubectl('create', 'namespace', id)
    const world = newWorld(bed, target)
    for (const { do: operations } of scenario.steps.slice(0, 2))
      for (const operation of operations) await perform(world, id, operation)
    assert.match((await runAll(world, scenario)).failure, failure)
  })
}
