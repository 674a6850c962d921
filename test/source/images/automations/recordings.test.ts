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

const shows: Readonly<Record<string, string>> = {
  'setters of each kind in several files, and a newer tag': 'IM-049..054 IM-056 IM-058 IM-059',
  'nothing to do': 'IM-056 IM-057 IM-059',
  'a push branch is created and continued': 'IM-044 IM-045',
  'a refspec, and options': 'IM-044',
  'a refspec of the branch that is checked out': 'IM-044',
  'a refspec whose target has commits of its own': 'IM-044 IM-061',
  'a refspec whose target has commits of its own, and a push branch': 'IM-044',
  'options that the server does not support': 'IM-044 IM-061',
  'a message from a template, with values': 'IM-041 IM-042',
  'messages that can not be made': 'IM-041 IM-043 IM-061',
  'a message with a removed field': 'IM-043 IM-061',
  'an automation without git': 'IM-061',
  'a selector that can not be read': 'IM-046 IM-061',
  'a selector': 'IM-046 IM-059',
  'a policy that has chosen nothing yet': 'IM-053 IM-059',
  'a removed policy': 'IM-053 IM-059',
  'a repository that can not be reached or is missing': 'IM-061',
  'what is referred to and is missing': 'IM-037 IM-044 IM-061',
  'another checkout than that of the source': 'IM-038',
  'an author without a name': 'IM-039',
  'signing keys': 'IM-040 IM-061',
  'a suspended automation': 'IM-048',
  'paths to update': 'IM-047 IM-061',
  'a server that refuses': 'IM-061',
  'links, modes and files that are no YAML': 'IM-051 IM-055',
  'sources of another namespace': 'IM-037 IM-061',
  'older target in a shallow clone': 'IM-044 IM-063',
  'older target in a whole clone': 'IM-044 IM-063',
  'push branch over a tag': 'IM-038 IM-045',
  'push branch that each run replaces': 'IM-045 IM-063',
  'push branch over a range of versions, without branches': 'IM-038 IM-045 IM-063',
  'push branch without force': 'IM-044 IM-063',
  'push branch that may not be replaced': 'IM-045 IM-063',
  'push branch that may not be replaced, in a whole clone': 'IM-045 IM-063',
  'sparse checkout of folder': 'IM-047 IM-063',
  'sparse checkout of file': 'IM-047 IM-063',
  'sparse checkout of root': 'IM-047 IM-063',
  'sparse checkout of nowhere': 'IM-047 IM-061 IM-063',
}

for (const { title, steps, gates } of allStories)
  test(`${shows[title]}: as image-automation-controller does: ${title}`, async () => {
    const seen = await playStory(steps, await openBed(namespaceOf(title), gates))
    const said = JSON.stringify(seen).replaceAll(wordsOfHooks, '')
    const isShallow = !gates.includes('GitShallowClone=false')
    assert.deepEqual(JSON.parse(isShallow ? said.replaceAll(diverged, inShallowClone) : said), recorded[title])
  })
