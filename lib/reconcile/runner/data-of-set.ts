import { ClusterError } from '../../clusters/client/client.ts'
import type { CopiedSource } from '../../engines/resource-set/data-source.ts'
import { withAddressesOnly } from '../../engines/resource-set/fill-data.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import { type AccountSettings, actingAccount } from '../../hub/references/acting-account.ts'
import { inputProvidersOf } from '../../hub/references/input-providers.ts'
import { type HubAs, hubReader } from '../../hub/references/read-dependency.ts'
import type { References } from '../../hub/references/references.ts'
import type { DataOfSet, SetData } from '../../hub/runners/data-of-sets.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { restraintOf } from '../windows/restraint.ts'
import { actingBy } from '../windows/waiting.ts'

/** The Secrets and ConfigMaps that the templates of a set copy with its inputs. Fails if they can't be rendered. */
export type CopiedSources = (set: ResourceSet) => Promise<readonly CopiedSource[]>

interface DataPorts {
  readonly copiedSources: CopiedSources
  readonly references: References
  readonly hubCluster: HubAs
  readonly clock: Pick<Clock, 'now'>
  readonly settings: AccountSettings
  /** Called with why the sources of a set are not known, once for each spec and its inputs: the pass of its runner fails for the same reason. */
  readonly onError: (error: unknown, set: ResourceSet) => void
}

/** Names of the annotations without their group: sets without them copy nothing, and need not be rendered. */
const copying = ['copyFrom', 'checksumFrom', 'convertKubeConfigFrom']

interface Remembered {
  /** Digest of the spec and its inputs. */
  readonly of: string
  readonly sources: readonly CopiedSource[]
  /** When they are found again, in milliseconds since the epoch. */
  readonly until: number
}

/** After how many milliseconds a set is rendered again that could not be: a runner may request its copy at any time. */
const retryMs = 60_000

/** Beyond this, what is known of sets is forgotten. */
const maxRemembered = 1_000

/**
 * The Secrets and ConfigMaps of the hub that a ResourceSet copies or takes checksums of, as far as the account that it acts as may read them: what a pass of the hub
 * would read. The hub renders the set itself: what its runner says about it decides nothing.
 */
export const dataOfSets = (ports: DataPorts): DataOfSet => {
  const { copiedSources, references, hubCluster, clock, settings, onError } = ports
  const remembered = new Map<string, Remembered>()

  const sourcesOf = async (set: ResourceSet): Promise<readonly CopiedSource[]> => {
    const { providers } = await inputProvidersOf(set, references)
    const text = JSON.stringify([
      set.spec,
      providers.map(({ metadata, status }) => [metadata.name, status?.exportedInputs]),
    ])
    if (!copying.some(name => text.includes(name))) return []
    const { uid = '' } = set.metadata
    const [of, known] = [sha256Hex(text), remembered.get(uid)]
    const isKnown = known?.of === of
    if (isKnown && clock.now() < known.until) return known.sources
    let until = Number.POSITIVE_INFINITY
    const sources = await copiedSources(set).catch(error => {
      if (!isKnown) onError(error, set)
      until = clock.now() + retryMs
      // Perhaps a function has not responded.
      return known?.sources ?? []
    })
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(uid, { of, sources, until })
    return sources
  }

  return async set => {
    const sources = await sourcesOf(set)
    if (sources.length === 0) return []
    const acting = actingBy(set, await restraintOf(set, references, clock.now()))
    const { asAccount } = hubReader(set, actingAccount(acting, settings), hubCluster)
    const read = async ({ kind, namespace, name, addressesIn }: CopiedSource): Promise<SetData | undefined> => {
      const object = await asAccount.get('v1', { group: '', kind, namespace, name }).catch(undefinedIfForbidden)
      if (!object || !addressesIn) return object && { object, isWhole: true }
      return { object: withAddressesOnly(object, addressesIn), isWhole: false }
    }
    return (await Promise.all(sources.map(read))).filter(found => found !== undefined)
  }
}

const undefinedIfForbidden = (error: unknown): undefined => {
  if (!(error instanceof ClusterError && error.code === 'forbidden')) throw error
}
