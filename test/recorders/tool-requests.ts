/**
 * Records what k9s and Capacitor ask of a hub while a test walks through them:
 * `KEELSON_K9S=/path KEELSON_CAPACITOR=/path node test/recorders/tool-requests.ts VERSION-OF-K9S VERSION-OF-CAPACITOR`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBrowser } from '../bed/browser.ts'
import { recordingProxy } from '../bed/recording-proxy.ts'
import { walkThroughCapacitor } from '../browser/other-tools/capacitor.ts'
import { walkThroughK9s } from '../browser/other-tools/k9s.ts'
import { prepareWalk, type Walk } from '../browser/other-tools/scene.ts'
import { startFluxReleaseWorld } from '../cluster/flux-release-world.ts'
import { type Conversation, distinctExchangesOf } from '../cluster/flux-requests/exchange.ts'

const [k9s, capacitor] = process.argv.slice(2)
if (!k9s || !capacitor) throw new Error('say which version of k9s and of Capacitor these are')

const record = async (command: string, version: string, walkThrough: (walk: Walk) => Promise<void>): Promise<void> => {
  await using world = await startFluxReleaseWorld()
  const { hub } = world
  await prepareWalk(hub)
  const uid = await hub.kubectl('get', 'ks/site', '-n', 'flux-system', '-o', 'jsonpath={.metadata.uid}')
  const proxy = await recordingProxy(hub.kubeconfig)
  await walkThrough({ hub, kubeconfig: proxy.kubeconfig, unit: 'site' })
  await proxy[Symbol.asyncDispose]() // which ends the watches
  const conversation: Conversation = { command, version, exchanges: distinctExchangesOf(proxy.requests) }
  const file = join(import.meta.dirname, `../cluster/flux-requests/${command.toLowerCase()}.json`)
  writeFileSync(file, lineByLine(conversation).replaceAll(uid, '<uid>'))
}

/** JSON with a line for each exchange: they are many. */
const lineByLine = ({ exchanges, ...head }: Conversation): string => {
  const lines = exchanges.map(exchange => JSON.stringify(exchange))
  return `${JSON.stringify(head).slice(0, -1)},"exchanges":[\n${lines.join(',\n')}\n]}\n`
}

await record('k9s', k9s, walk => walkThroughK9s(walk, /site +True +Applied revision: main@sha1:\w+ +\d/))
await using chromium = await startBrowser()
await record('Capacitor', capacitor, walk => walkThroughCapacitor(chromium.browser, walk))
