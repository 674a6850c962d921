/** Records what the flux CLI asks of a hub: `KEELSON_FLUX=/path/to/flux node test/recorders/flux-requests.ts [site|releases|images]`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { flux } from '../bed/flux.ts'
import { recordingProxy } from '../bed/recording-proxy.ts'
import { startFluxImageWorld } from '../cluster/flux-image-world.ts'
import { startFluxReleaseWorld } from '../cluster/flux-release-world.ts'
import { fluxCommands, fluxImageCommands, fluxReleaseCommands, registry } from '../cluster/flux-requests/commands.ts'
import { type Conversation, exchangesOf } from '../cluster/flux-requests/exchange.ts'
import { type FluxWorld, startFluxWorld } from '../cluster/flux-world.ts'

const dir = join(import.meta.dirname, '../cluster/flux-requests')
const isDiscovery = ({ path }: { path: string }) => /^\/apis?$/.test(path)

interface Command {
  readonly file: string
  readonly args: readonly string[]
}

const record = async (
  start: () => Promise<FluxWorld & { readonly registry?: string }>,
  commands: readonly Command[],
): Promise<void> => {
  await using world = await start()
  await using proxy = await recordingProxy(world.hub.kubeconfig)
  const { registry: there = registry } = world
  const version = (await flux(proxy.kubeconfig, ['--version'])).stdout.trim()
  const write = (file: string, command: string, requests: typeof proxy.requests) => {
    const conversation: Conversation = { command, version, exchanges: exchangesOf(requests) }
    writeFileSync(join(dir, file), `${JSON.stringify(conversation, null, 2).replaceAll(there, registry)}\n`)
  }
  for (const { file, args } of commands) {
    const command = `flux ${args.join(' ')}`
    const { exitCode, stderr } = await flux(
      proxy.kubeconfig,
      args.map(arg => arg.replace(registry, there)),
    )
    if (exitCode !== 0) throw new Error(`${command} failed: ${stderr}`)
    const requests = proxy.requests.splice(0)
    // Every command begins with the same discovery, which is kept once.
    write(
      file,
      command,
      requests.filter(request => !isDiscovery(request)),
    )
    if (file === fluxCommands[0].file) write('discovery.json', 'flux', requests.filter(isDiscovery))
  }
}

const [only] = process.argv.slice(2)
const wants = (name: string) => only === undefined || only === name
if (wants('site')) await record(startFluxWorld, fluxCommands)
if (wants('releases')) await record(startFluxReleaseWorld, fluxReleaseCommands)
if (wants('images')) await record(startFluxImageWorld, fluxImageCommands)
