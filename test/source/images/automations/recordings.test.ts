import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readSettings } from '../../../../lib/compose/settings/setting-options.ts'
import type { Event } from '../../../../lib/foundations/kinds/event.ts'
import type { ImageUpdateAutomation } from '../../../../lib/foundations/kinds/image-update-automation.ts'
import { imageUpdateAutomationAddress } from '../../../../lib/reconcile/image-update-automation/image-update-automation-address.ts'
import { enqueueDependents } from '../../../../lib/reconcile/runtime/news.ts'
import { gitRepo } from '../../../bed/git-repo.ts'
import { openImageWorld } from '../image-world.ts'
import { allStories } from './gate-stories.ts'
import { namespaceOf } from './stories.ts'
import { type AutomationBed, playStory, type Seen } from './story.ts'

const recorded: Readonly<Record<string, readonly Seen[]>> = JSON.parse(
  readFileSync(new URL('stories.recorded.json', import.meta.url), 'utf8'),
)

/** Messages of Keelson also have what the hooks of a server print. */
const wordsOfHooks = /: remote: only on weekdays/g

/** What go-git says of it in a shallow clone. */
const [diverged, inShallowClone] = [/non-fast-forward update: refs\/heads\/\w+/g, 'object not found']

const groups: Readonly<Record<string, string>> = {
  Secret: '',
  GitRepository: 'source.toolkit.fluxcd.io',
  ImagePolicy: 'image.toolkit.fluxcd.io',
  ImageUpdateAutomation: 'image.toolkit.fluxcd.io',
}
const openBed = async (namespace: string, featureGates: string): Promise<AutomationBed> => {
  const refOf = (kind: string, name: string) => ({ group: groups[kind]!, kind, namespace, name })
  const repo = await gitRepo()
  const world = await openImageWorld(readSettings({ featureGates }).settings)
  const author = { fieldManager: 'author' }
  await world.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, author)
  const auto = refOf('ImageUpdateAutomation', 'auto')
  const automation = () => world.hub.get<ImageUpdateAutomation>(auto)
  let requests = 0
  return {
    namespace,
    repo,
    automation,
    apply: async object => {
      const ref = refOf(object.kind, object.metadata.name)
      await world.hub.patch(ref, { type: 'apply', object }, { ...author, force: true })
    },
    setStatus: async (kind, name, status) => {
      const patch = { status }
      await world.hub.patch(refOf(kind, name), { type: 'merge', patch }, { ...author, subresource: 'status' })
      // What the reconciler of policies does after a pass.
      await enqueueDependents(world.ports, [imageUpdateAutomationAddress], refOf(kind, name))
    },
    request: async (kind, name) => {
      const patch = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': String(requests++) } } }
      await world.hub.patch(refOf(kind, name), { type: 'merge', patch }, author)
    },
    remove: async (kind, name) => {
      await world.hub.delete(refOf(kind, name), {})
    },
    // As when they were recorded: a first retry comes within this time.
    settle: async () => {
      await world.settle()
      await world.advance(5_000)
    },
    events: async () => (await world.hub.list<Event>({ group: '', kind: 'Event' })).items,
  }
}

for (const { title, steps, gates } of allStories)
  test(`IM-036..061 as image-automation-controller does: ${title}`, async () => {
    const seen = await playStory(steps, await openBed(namespaceOf(title), gates))
    const said = JSON.stringify(seen).replaceAll(wordsOfHooks, '')
    const isShallow = !gates.includes('GitShallowClone=false')
    assert.deepEqual(JSON.parse(isShallow ? said.replaceAll(diverged, inShallowClone) : said), recorded[title])
  })
