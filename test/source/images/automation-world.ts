import type { Settings } from '../../../lib/compose/settings/settings.ts'
import type { ImageUpdateAutomation } from '../../../lib/foundations/kinds/image-update-automation.ts'
import { git } from '../../bed/git.ts'
import { type GitRepo, gitRepo } from '../../bed/git-repo.ts'
import { type ImageWorld, openImageWorld } from './image-world.ts'

export const image = 'ghcr.io/org/app'

/** A manifest with a marker for the policy `app`. */
export const manifest = (tag: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app
  namespace: prod
spec:
  template:
    spec:
      containers:
        - name: app
          image:   ${image}:${tag} # {"$imagepolicy": "default:app"}
`

export const author = { author: { name: 'Fluxbot', email: 'flux@example.com' } }

/** A repository with a marked manifest, its GitRepository, and a policy whose latest image tests set. */
export const openAutomationWorld = async (
  files: Readonly<Record<string, string>> = { 'app.yaml': manifest('1.0.0') },
  given?: GitRepo,
  settings: Partial<Settings> = {},
) => {
  const repo = given ?? (await gitRepo(files))
  const world: ImageWorld = await openImageWorld(settings)
  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec,
  })
  const source = (spec: object = {}) =>
    world.hub.patch(
      { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'app' },
      {
        type: 'apply',
        object: object('GitRepository', 'app', { url: repo.url, ref: { branch: 'main' }, interval: '1h', ...spec }),
      },
      { fieldManager: 'author', force: true },
    )
  await source()
  return {
    ...world,
    repo,
    source,
    /** Sets the latest image of a policy, as its reconciler would. */
    async chooses(tag: string, name = 'app', labels: object = {}, digest?: string) {
      const spec = { imageRepositoryRef: { name: 'none' }, policy: { alphabetical: {} }, suspend: true }
      await world.applies('ImagePolicy', name, spec, 'default', { labels })
      const latestRef = { name: image, tag, ...(digest && { digest }) }
      const ref = { group: 'image.toolkit.fluxcd.io', kind: 'ImagePolicy', namespace: 'default', name }
      await world.hub.patch(
        ref,
        { type: 'merge', patch: { status: { latestRef } } },
        { fieldManager: 'test', subresource: 'status' },
      )
      await world.settle()
      // Their reconciler is at rest here: what it would enqueue is asked for.
      if (await world.get('ImageUpdateAutomation', 'auto'))
        await world.request('ImageUpdateAutomation', 'auto', `${name}-${tag}`)
    },
    automation: (spec: object = {}, name = 'auto') =>
      world.applies('ImageUpdateAutomation', name, {
        sourceRef: { kind: 'GitRepository', name: 'app' },
        interval: '10m',
        git: { commit: author },
        ...spec,
      }),
    statusOf: async (name = 'auto') => (await world.get<ImageUpdateAutomation>('ImageUpdateAutomation', name))!.status!,
    show: (what: string) => repo.git('show', what),
    log: (branch = 'main') => repo.git('log', '--format=%s', branch),
    fsck: () => git(['fsck', '--strict', '--full'], { cwd: repo.dir }),
  }
}
