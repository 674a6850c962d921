import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { hasDrifted } from '../../lib/clusters/apply/drift.ts'
import { isDefinitelyApplied } from '../../lib/clusters/apply/managed-fields.ts'
import { normalize } from '../../lib/clusters/apply/normalize.ts'
import { clusters } from '../../lib/clusters/client/clusters.ts'
import { type KubernetesObject, refOf } from '../../lib/foundations/kinds/object.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { seededRandom } from '../e2e/seeded-random.ts'
import { configMap, deployment, interfere, service, widget, widgetDefinition } from './random-objects.ts'

const bed = await cluster()
const remotes = clusters({ clock: { monotonic: () => performance.now() } })
const target = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
after(() => remotes.close())

const ours = { fieldManager: 'kustomize-controller', force: true }
const rounds = 120

test('what managed fields settle, a dry-run confirms: random objects, changed by us and by others', async () => {
  await target.apply(widgetDefinition, ours)
  await eventually(async () => void (await target.resourceFor('example.com/v1', 'Widget')))

  const told = { unchanged: 0, drifted: 0, doubted: 0 }
  for (let seed = 1; seed <= rounds; seed++) {
    const random = seededRandom(seed)
    const name = `x${seed}`
    const make = random.pick([configMap, service, deployment, widget])
    const first = normalize(make(name, random))
    await target.apply(first, ours)
    if (random.below(2)) await interfere(target, make(name, random), random)
    const desired = random.below(3) ? first : normalize(make(name, random))

    const { live, dryRun } = await lookAt(desired)
    const isSure = isDefinitelyApplied(desired, live, ours.fieldManager)
    const drifted = hasDrifted(live, dryRun)
    assert.ok(
      !(isSure && drifted),
      `seed ${seed}: taken for unchanged, but a dry-run differs\n${JSON.stringify({ desired, live, dryRun }, null, 1)}`,
    )
    told[isSure ? 'unchanged' : drifted ? 'drifted' : 'doubted']++
  }
  // Doubt is allowed, but must stay the exception: each costs a request at every look.
  assert.ok(
    told.unchanged > rounds / 4 && told.drifted > rounds / 10 && told.doubted < rounds / 4,
    JSON.stringify(told),
  )
})

/** The live object and a dry-run against that very version: controllers write in between. */
const lookAt = async (desired: KubernetesObject) => {
  for (;;) {
    const live = await target.get(desired.apiVersion, refOf(desired))
    const dryRun = await target.apply(desired, { ...ours, dryRun: true })
    const after = await target.get(desired.apiVersion, refOf(desired))
    if (live && live.metadata.resourceVersion === after?.metadata.resourceVersion) return { live, dryRun }
  }
}
