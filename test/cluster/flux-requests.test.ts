import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { prepareWalk } from '../browser/other-tools/scene.ts'
import { startFluxImageWorld } from './flux-image-world.ts'
import { startFluxReleaseWorld } from './flux-release-world.ts'
import { fluxCommands, fluxImageCommands, fluxReleaseCommands, registry } from './flux-requests/commands.ts'
import type { Conversation } from './flux-requests/exchange.ts'
import { type Replay, replayAs } from './flux-requests/replay.ts'
import { startFluxWorld } from './flux-world.ts'

// What the flux CLI, k9s and Capacitor asked of a hub, recorded (test/recorders/flux-requests.ts, tool-requests.ts), is asked again: also where
// there are none of them, the hub answers with all that they rely on.

const [world, releases, images] = await Promise.all([startFluxWorld(), startFluxReleaseWorld(), startFluxImageWorld()])
after(() => Promise.all([world, releases, images].map(world => world[Symbol.asyncDispose]())))
const replaySite = replayAs(world.hub.kubeconfig)
const replayReleases = replayAs(releases.hub.kubeconfig)
const replayImages: Replay = exchanges => replayAs(images.hub.kubeconfig)(exchanges, { [registry]: images.registry })

const conversationIn = (file: string): Conversation => {
  const conversation = JSON.parse(
    readFileSync(join(import.meta.dirname, 'flux-requests', file), 'utf8'),
  ) as Conversation
  if (conversation.exchanges.length === 0) throw new Error(`${file} is empty`)
  return conversation
}

// Before those of flux, which change what is there.
for (const tool of ['k9s', 'capacitor']) {
  const { command, exchanges } = conversationIn(`${tool}.json`)
  test(`UI-12 answers what ${command} asks`, async () => {
    await prepareWalk(releases.hub)
    const uid = await releases.hub.kubectl('get', 'ks/site', '-n', 'flux-system', '-o', 'jsonpath={.metadata.uid}')
    await replayReleases(exchanges, { '<uid>': uid })
  })
}

const conversations = [
  ...['discovery.json', ...fluxCommands.map(command => command.file)].map(file => ({ file, replay: replaySite })),
  ...fluxReleaseCommands.map(({ file }) => ({ file, replay: replayReleases })),
  ...fluxImageCommands.map(({ file }) => ({ file, replay: replayImages })),
]
for (const { file, replay } of conversations) {
  const { command, exchanges } = conversationIn(file)
  test(`answers what \`${command}\` asks${file === 'discovery.json' ? ' first' : ''}`, () => replay(exchanges))
}
