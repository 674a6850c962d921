import { certifier } from '../../../lib/compose/certifier.ts'
import { openPgp } from '../../../lib/compose/open-pgp.ts'
import { nameFunctions } from '../../../lib/engines/helm/name-functions.ts'
import { withoutChance } from '../../../lib/engines/image-policy/commit-message.ts'
import type { GitRepository } from '../../../lib/foundations/kinds/git-repository.ts'
import type { ImageUpdateAutomation } from '../../../lib/foundations/kinds/image-update-automation.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { imageUpdateAutomationReconciler } from '../../../lib/reconcile/image-update-automation/image-update-automation.ts'
import { defaultGitGates } from '../../../lib/reconcile/image-update-automation/push-rules.ts'
import type { Reconciler } from '../../../lib/reconcile/runtime/reconciler.ts'
import type { PullRequestClient } from '../../../lib/sources/forge/pull-requests/pull-request-client.ts'
import { type GitClient, gitClient } from '../../../lib/sources/git/git-client.ts'
import { gitLogin } from '../../../lib/sources/git/git-login.ts'
import { type Life, mortalPlatform } from '../../bed/life.ts'
import { wires } from '../../bed/wires.ts'
import type { ManualClock } from '../../contracts/manual-clock.ts'
import { openWorld } from '../../unit/reconcile/world.ts'
import { author, image } from './automation-world.ts'

/** The pull requests of a forge, which outlives its clients. */
export interface Forge {
  readonly open: { id: string; url: string; title: string; body: string }[]
  /** Requests to create one. */
  created: number
}

/** A git client whose every request is a step of a life. */
const mortalGit = (client: GitClient, life: Life): GitClient => ({
  open: options => {
    const session = client.open(options)
    return {
      ...session,
      resolve: (...args) => life.step('resolve', () => session.resolve(...args)),
      fetch: (...args) => life.step('fetch', () => session.fetch(...args)),
      receiver: () =>
        life.step('receiver', async () => {
          const receiver = await session.receiver()
          return { ...receiver, push: request => life.step('push', () => receiver.push(request)) }
        }),
    }
  },
})

const mortalForge = (forge: Forge, life: Life): PullRequestClient => ({
  open: () => ({
    maxBodyLength: 10_000,
    find: () => life.step('find', async () => forge.open[0]),
    create: (_, content) =>
      life.step('create', async () => {
        forge.created++
        const request = { id: String(forge.created), url: 'https://forge/1', ...content }
        forge.open.push(request)
        return request
      }),
    update: (_, content) => life.step('update', async () => void Object.assign(forge.open[0]!, content)),
    close: async () => undefined,
  }),
})

const groups: Readonly<Record<string, string>> = { GitRepository: 'source.toolkit.fluxcd.io' }
export const refOf = (kind: string, name: string) => ({
  ...{ group: groups[kind] ?? 'image.toolkit.fluxcd.io', kind, namespace: 'default', name },
})
const auto = refOf('ImageUpdateAutomation', 'auto')

/**
 * Where an automation pushes: to the branch that it checks out, or to the branch `auto`, which differs in how it comes about; and with a refspec to
 * the branch `copy`, in the same push or, on a server without atomic pushes, in another.
 */
export type Way =
  | 'a branch'
  | 'a pull request'
  | 'a replaced branch'
  | 'a branch over a tag'
  | 'a branch and its copy'
  | 'a branch, and then its copy'

export const copies = (way: Way): boolean => way.endsWith('copy')

/** A process that runs an ImageUpdateAutomation `auto` in a hub of its own. */
export const automationProcess = async (
  { url, forge, way }: { readonly url: string; readonly forge: Forge; readonly way: Way },
  life: Life,
  left?: { readonly directory: string; readonly clock: ManualClock },
) => {
  const connections = wires()
  const world = await openWorld(
    ports => [
      imageUpdateAutomationReconciler(
        {
          ...ports,
          git: async () => mortalGit(gitClient(connections), life),
          pullRequests: async () => mortalForge(forge, life),
          login: gitLogin({ connections, clock: ports.clock }),
          cloudAccess: async () => ({
            login: async () => {
              throw new Error('no cloud is needed')
            },
          }),
          openPgp,
          functions: async () => withoutChance(nameFunctions(certifier)),
        },
        { noCrossNamespaceRefs: false, ...defaultGitGates, gitAllBranches: way !== 'a replaced branch' },
      ) as Reconciler<KubernetesObject>,
    ],
    { ...(left && { left }), through: platform => mortalPlatform(platform, life) },
  )
  const applies = (kind: string, name: string, spec: object, annotations: Readonly<Record<string, string>> = {}) => {
    const ref = refOf(kind, name)
    const metadata = { name, namespace: ref.namespace, annotations }
    const object = { apiVersion: `${ref.group}/v1`, kind, metadata, spec }
    return world.hub.patch(ref, { type: 'apply', object }, { fieldManager: 'author', force: true })
  }
  return {
    ...world,
    automation: () => world.hub.get<ImageUpdateAutomation>(auto),
    source: () => world.hub.get<GitRepository>(refOf('GitRepository', 'app')),
    /** Objects for a first run. */
    async begin(tag: string): Promise<void> {
      const ref = way === 'a branch over a tag' ? { tag: 'v1' } : { branch: 'main' }
      await applies('GitRepository', 'app', { url, ref, interval: '1h' })
      const policy = { imageRepositoryRef: { name: 'none' }, policy: { alphabetical: {} }, suspend: true }
      await applies('ImagePolicy', 'app', policy)
      const patch = { status: { latestRef: { name: image, tag } } }
      const status = { fieldManager: 'test', subresource: 'status' } as const
      await world.hub.patch(refOf('ImagePolicy', 'app'), { type: 'merge', patch }, status)
      const spec = {
        sourceRef: { kind: 'GitRepository', name: 'app' },
        interval: '10m',
        git: {
          commit: author,
          ...(way !== 'a branch' && {
            push: { branch: 'auto', ...(copies(way) && { refspec: 'refs/heads/auto:refs/heads/copy' }) },
          }),
        },
      }
      await applies(
        'ImageUpdateAutomation',
        'auto',
        spec,
        way === 'a pull request' ? { 'image.keelson.dev/pull-request': 'github' } : {},
      )
    },
    /** Works for some minutes; a process that dies meanwhile has done what it could. */
    async live(minutes: number): Promise<void> {
      try {
        await world.loop.resume()
        await world.settle()
        await world.advance(minutes * 60_000)
      } catch (error) {
        if (!life.died) throw error
      }
    },
  }
}
