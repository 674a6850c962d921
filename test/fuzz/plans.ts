import { readFileSync } from 'node:fs'
import { clusters } from '../../lib/clusters/client/clusters.ts'
import { startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { planStory } from '../cluster/plan-story.ts'
import { widgetDefinition } from '../cluster/random-objects.ts'
import type { FuzzSettings } from './run.ts'

export const description = 'plans on a real API server: applying changes exactly what they say, or they are stale'

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  await using bed = await startCluster()
  const remotes = clusters({ clock: { monotonic: () => performance.now() } })
  const target = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
  try {
    await target.apply(widgetDefinition, { fieldManager: 'fuzz', force: true })
    await eventually(async () => void (await target.resourceFor('example.com/v1', 'Widget')))
    const ends: Record<string, number> = {}
    let told = 0
    for (; told < trees && performance.now() < until; told++) {
      try {
        const end = await planStory(target, seed + told)
        ends[end] = (ends[end] ?? 0) + 1
      } catch (error) {
        console.log(`seed ${seed + told}:`, error)
        process.exitCode = 1
        break
      }
    }
    console.log(`${told} pairs of builds and live states: ${JSON.stringify(ends)}`)
  } finally {
    await remotes.close()
  }
}
