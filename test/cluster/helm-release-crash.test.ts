import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { type ActionDeps, type ActionOutcome, ReleaseError } from '../../lib/clusters/helm-release/action.ts'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { rollback } from '../../lib/clusters/helm-release/rollback.ts'
import { uninstall } from '../../lib/clusters/helm-release/uninstall.ts'
import { upgrade } from '../../lib/clusters/helm-release/upgrade.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { configMap, helmReleaseBed, intercepted } from './helm-release-bed.ts'
import { hookedChart, refusedConfigMap } from './hooked-chart.ts'

const bed = await helmReleaseBed()

type Space = Awaited<ReturnType<typeof bed.space>>

class Killed extends Error {}

interface Story {
  /** What is there before the process that dies begins. */
  readonly before?: (space: Space) => Promise<unknown>
  /** What a reconciler does in a pass: it may be killed anywhere, and then begins anew. */
  readonly act: (space: Space, deps: ActionDeps) => Promise<ActionOutcome>
  readonly objects: readonly string[]
  readonly versions: readonly string[]
  /** How often hooks may have been made: once per event of the story. */
  readonly hooks: Readonly<Record<string, number>>
}

const stories: Readonly<Record<string, Story>> = {
  install: {
    act: async (space, deps) => install(deps, await space.installOf(hookedChart('1.0.0'))),
    objects: ['a', 'b', 'hook-1'],
    versions: ['1 deployed: Install complete'],
    hooks: { 'hook-1': 1, 'hook-2': 1 },
  },
  'upgrade with hooks': {
    before: async space =>
      install(space.deps, await space.installOf(hookedChart('1.0.0', { 'o.yaml': configMap('old') }))),
    act: async (space, deps) => upgrade(deps, await space.upgradeOf(hookedChart('1.1.0'))),
    objects: ['a', 'b', 'hook-1'],
    versions: ['1 superseded: Install complete', '2 deployed: Upgrade complete'],
    hooks: { 'hook-1': 1, 'hook-2': 1 },
  },
  'failed upgrade with cleanup, and its rollback': {
    before: async space => install(space.deps, await space.installOf(hookedChart('1.0.0'))),
    act: async (space, deps) => {
      const { release: last, progress } = (await deps.storage.history('app'))[0]!
      const isUndecided = last.version === 1 || (last.version === 2 && progress !== undefined)
      if (isUndecided) {
        try {
          const request = await space.upgradeOf(hookedChart('1.1.0', refusedConfigMap), { cleanupOnFail: true })
          return await upgrade(deps, request)
        } catch (error) {
          if (!(error instanceof ReleaseError)) throw error
        }
      }
      return rollback(deps, space.rollbackOf(1))
    },
    objects: ['a', 'b', 'hook-1'],
    versions: ['1 superseded: Install complete', '2 failed: Upgrade', '3 deployed: Rollback to 1'],
    hooks: { 'hook-1': 2, 'hook-2': 1 },
  },
  uninstall: {
    before: async space => install(space.deps, await space.installOf(hookedChart('1.0.0'))),
    act: async (space, deps) => uninstall(deps, space.uninstallOf()),
    objects: ['hook-1'],
    versions: [],
    hooks: { 'hook-1': 1, 'hook-2': 1 },
  },
}

/** A client that dies at its k-th request: before the cluster hears of it, or before the process hears the answer. */
const mortal = (client: ClusterClient, k: number, when: 'before' | 'after', made: Map<string, number>) => {
  let count = 0
  let isDead = false
  return intercepted(client, async (name, call, [first]) => {
    if (isDead) throw new Killed()
    const isLast = ++count === k
    if (isLast) isDead = true
    if (isLast && when === 'before') throw new Killed()
    const hookName = name === 'apply' ? (first as KubernetesObject).metadata.name : ''
    const result = await call()
    if (hookName.startsWith('hook-')) made.set(hookName, (made.get(hookName) ?? 0) + 1)
    if (isLast) throw new Killed()
    return result
  })
}

/** `npm run crash` kills at every request; here it is every seventh, and another seed begins elsewhere. */
const stride = process.env.KEELSON_CRASHES ? 1 : 7
const firstRequest = 1 + (Number(process.env.KEELSON_SEED ?? '1') % stride)

for (const [name, story] of Object.entries(stories))
  for (const when of ['before', 'after'] as const)
    test(`HR-133 HR-156 ${name}: killed ${when} any one request to the cluster, nothing is stuck, doubled or left over`, async () => {
      for (let k = firstRequest, died = true; died; k += stride) {
        const space = await bed.space()
        await story.before?.(space)
        const made = new Map<string, number>()
        died = false
        const client = mortal(bed.client, k, when, made)
        const context = `killed ${when} request ${k}`
        try {
          await story.act(space, space.depsWith(client))
        } catch (error) {
          if (!(error instanceof Killed)) throw error
          died = true
          const recorded = mortal(bed.client, Number.POSITIVE_INFINITY, when, made)
          await again(story, space, space.depsWith(recorded), context)
        }
        assert.deepEqual((await space.names('configmap')).sort(), [...story.objects].sort(), context)
        const history = await space.deps.storage.history('app')
        assert.deepEqual(
          history
            .map(({ release: { version, info } }) => `${version} ${info.status}: ${info.description?.split(' "')[0]}`)
            .sort(),
          [...story.versions].sort(),
          context,
        )
        assert.deepEqual(
          history.filter(({ progress }) => progress),
          [],
          context,
        )
        assert.deepEqual(Object.fromEntries([...made].sort()), story.hooks, context)
        await space.kubectl('delete', 'namespace', space.namespace, '--wait=false')
      }
    })

/** As a reconciler does when it finds the object due: what the dead process has ended is not begun again. */
const again = async (story: Story, space: Space, deps: ActionDeps, context: string): Promise<void> => {
  const [last] = await deps.storage.history('app')
  const expected = story.versions.length
  const isDone = last
    ? !last.progress && last.release.info.status === 'deployed' && last.release.version === expected
    : expected === 0
  if (!isDone) assert.equal((await story.act(space, deps)).state, 'finished', context)
}
