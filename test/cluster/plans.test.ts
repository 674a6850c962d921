import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { clusters } from '../../lib/clusters/client/clusters.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { planStory, type StoryEnd } from './plan-story.ts'
import { widgetDefinition } from './random-objects.ts'

const bed = await cluster()
const remotes = clusters({ clock: { monotonic: () => performance.now() } })
const target = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
after(() => remotes.close())

const stories = 40

test('applying changes exactly what the plan said, or the plan is stale: builds and live states made by chance', async () => {
  await target.apply(widgetDefinition, { fieldManager: 'test', force: true })
  await eventually(async () => void (await target.resourceFor('example.com/v1', 'Widget')))
  const ends: Partial<Record<StoryEnd, number>> = {}
  for (let seed = 1; seed <= stories; seed++) {
    const end = await planStory(target, seed).catch(error => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    })
    ends[end] = (ends[end] ?? 0) + 1
  }
  // Every end must come up, or this shows less than it says.
  const { applied = 0, stale = 0, refused = 0, 'held up': heldUp = 0 } = ends
  assert.ok(applied > stories / 4 && stale > 0 && refused > 0 && heldUp > 0, JSON.stringify(ends))
})
