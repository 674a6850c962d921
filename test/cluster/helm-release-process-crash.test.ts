import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmReleaseSpec } from '../../lib/foundations/kinds/helm-release.ts'
import type { Condition } from '../../lib/foundations/kinds/object.ts'
import { contentsDigest } from '../../lib/reconcile/helm-release/undo/contents-digest.ts'
import { Life } from '../bed/life.ts'
import { type Files, helmReleaseBed } from './helm-release-bed.ts'
import { helmReleaseProcess } from './helm-release-process.ts'
import { hookedChart, refusedConfigMap, testHook } from './hooked-chart.ts'

const bed = await helmReleaseBed()

type Process = Awaited<ReturnType<typeof helmReleaseProcess>>
type Space = Awaited<ReturnType<typeof bed.space>>

const chart = (version: string, more: Files = {}) => hookedChart(version, { ...testHook, ...more })

interface Story {
  readonly spec?: Partial<HelmReleaseSpec>
  /** Whether version 1.0.0 is installed when the story begins. */
  readonly isInstalled: boolean
  /** The version that it is upgraded to before the story begins. */
  readonly upgradedTo?: string
  readonly act: (process: Process, spec: Partial<HelmReleaseSpec>, space: Space) => Promise<void>
  readonly objects: readonly string[]
  readonly versions: readonly string[]
  /** How often hooks may have been made: once per event of the story. */
  readonly hooks: Readonly<Record<string, number>>
  /** Conditions and versions of the HelmRelease; undefined: it is gone. */
  readonly status?: readonly string[]
}

const stories: Readonly<Record<string, Story>> = {
  'install with a test': {
    spec: { test: { enable: true } },
    isInstalled: false,
    act: async (process, spec) => process.release(spec),
    objects: ['a', 'b', 'hook-1', 'hook-3'],
    versions: ['1 deployed'],
    hooks: { 'hook-1': 1, 'hook-2': 1, 'hook-3': 1 },
    status: ['Ready True TestSucceeded', 'Released True InstallSucceeded', 'TestSuccess True TestSucceeded', 'v1'],
  },
  'upgrade with hooks': {
    isInstalled: true,
    act: async process => process.publish(chart('1.1.0'), '1.1.0'),
    objects: ['a', 'b', 'hook-1'],
    versions: ['1 superseded', '2 deployed'],
    hooks: { 'hook-1': 1, 'hook-2': 1 },
    status: ['Ready True UpgradeSucceeded', 'Released True UpgradeSucceeded', 'v2', 'v1'],
  },
  'failed upgrade with cleanup, and its rollback': {
    spec: { upgrade: { cleanupOnFail: true, remediation: { remediateLastFailure: true } } },
    isInstalled: true,
    act: async process => process.publish(chart('1.1.0', refusedConfigMap), '1.1.0'),
    objects: ['a', 'b', 'hook-1'],
    versions: ['1 superseded', '2 failed', '3 deployed'],
    hooks: { 'hook-1': 2, 'hook-2': 1 },
    status: [
      'Ready False RollbackSucceeded',
      'Released False UpgradeFailed',
      'Remediated True RollbackSucceeded',
      'Stalled True RetriesExceeded',
      ...['v3', 'v2', 'v1'],
    ],
  },
  undo: {
    isInstalled: true,
    upgradedTo: '1.1.0',
    act: async (process, _, { deps }) => {
      const stored = await deps.storage.history('app')
      await process.undo(contentsDigest(stored.at(-1)!.release))
    },
    objects: ['a', 'b', 'hook-1'],
    versions: ['1 superseded', '2 superseded', '3 deployed'],
    hooks: { 'hook-1': 1, 'hook-2': 1 },
    status: ['Pinned True Undone', 'Ready True RollbackSucceeded', 'Released True RollbackSucceeded', 'v3', 'v2', 'v1'],
  },
  uninstall: {
    isInstalled: true,
    act: async process => process.remove(),
    objects: ['hook-1'],
    versions: [],
    hooks: { 'hook-1': 1, 'hook-2': 1 },
  },
}

const statusOf = async (process: Process): Promise<readonly string[] | undefined> => {
  const { status } = (await process.read()) ?? {}
  if (!status) return undefined
  const conditions = (status.conditions ?? []) as readonly Condition[]
  return [
    ...conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort(),
    ...(status.history ?? []).map(({ version }) => `v${version}`),
  ]
}

/** `npm run crash` kills at every step; here it is every seventeenth, and another seed begins elsewhere. */
const stride = process.env.KEELSON_CRASHES ? 1 : 17
const firstStep = 1 + (Number(process.env.KEELSON_SEED ?? '1') % stride)

for (const [name, story] of Object.entries(stories))
  for (const when of ['before', 'after'] as const)
    test(`HR-133 HR-155 HR-156 ${name}: killed ${when} any one request or store commit, nothing is stuck, doubled or left over`, async () => {
      for (let k = firstStep, isOver = false; !isOver; k += stride) {
        const space = await bed.space()
        const { namespace } = space
        const spec = { targetNamespace: namespace, storageNamespace: namespace, releaseName: 'app', ...story.spec }
        const life = new Life()
        const made = new Map<string, number>()
        const first = await helmReleaseProcess(bed.client, life, made)
        await first.publish(chart('1.0.0'), '1.0.0')
        if (story.isInstalled) {
          await first.release(spec)
          await first.live(1)
          assert.deepEqual((await statusOf(first))?.[0], 'Ready True InstallSucceeded')
        }
        if (story.upgradedTo) {
          await first.publish(chart(story.upgradedTo), story.upgradedTo)
          await first.live(2)
        }
        made.clear()
        await story.act(first, spec, space)
        life.arm(k, when)
        await first.live(3)
        await first.close({ keeps: true })
        isOver = !life.died
        const context = life.died ? `killed ${when} step ${k}, ${life.lastStep}` : 'not killed'
        const next = await helmReleaseProcess(bed.client, new Life(), made, first)
        await next.live(5)
        assert.deepEqual(await statusOf(next), story.status, context)
        assert.deepEqual((await space.names('configmap')).sort(), [...story.objects].sort(), context)
        const history = await space.deps.storage.history('app')
        const versions = history.map(({ release: { version, info } }) => `${version} ${info.status}`).sort()
        assert.deepEqual(versions, [...story.versions].sort(), context)
        assert.deepEqual(Object.fromEntries([...made].sort()), story.hooks, context)
        await next.close()
        await space.kubectl('delete', 'namespace', namespace, '--wait=false')
      }
    })
