import { openPgp } from '../../lib/compose/open-pgp.ts'
import { defaultSettings, type Settings } from '../../lib/compose/settings/settings.ts'
import { composeSources } from '../../lib/compose/sources.ts'
import { endWithTest } from '../bed/teardown.ts'
import { wires } from '../bed/wires.ts'
import { openWorld } from '../unit/reconcile/world.ts'
import { storedArtifacts } from './stored-artifacts.ts'

/** The address that artifacts get in these worlds. */
export const artifactAddress = 'http://artifacts.test'

type SourceParts = Partial<Parameters<typeof composeSources>[0]>
type WorldPorts = Parameters<Parameters<typeof openWorld>[0]>[0]

const fetchSecret = async () => Buffer.from('a secret of the hub')

/** A hub whose sources of all kinds are reconciled; it goes when the running test ends. */
export const openSourceWorld = async (
  more: SourceParts | ((ports: WorldPorts) => SourceParts) = {},
  choices: Partial<Settings> & { readonly artifactCheckMs?: number } = {},
  chance: { readonly fraction?: number } = {},
) => {
  const connections = wires()
  const world = await openWorld(ports => {
    const settings = {
      ...defaultSettings,
      artifactAddress,
      requeueDependencyMs: 5_000,
      sigstoreMirror: 'none',
      ...choices,
    }
    const sources = composeSources(
      { ...ports, openPgp, connections, fetchSecret, ...(typeof more === 'function' ? more(ports) : more) },
      settings,
    )
    return sources.reconcilers
  }, chance)
  endWithTest({ [Symbol.asyncDispose]: world.close })
  return { ...world, ...storedArtifacts(world.platform.artifacts) }
}

export type SourceWorld = Awaited<ReturnType<typeof openSourceWorld>>
