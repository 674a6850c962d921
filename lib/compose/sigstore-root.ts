import type { Hub } from '../hub/store/hub.ts'
import { readSecret } from '../hub/store/read-secret.ts'
import type { HttpAgent } from '../platform/http/guarded-agent.ts'
import type { ArtifactStore } from '../platform/ports/artifacts.ts'
import type { Clock } from '../platform/ports/clock.ts'
import type { Log } from '../platform/ports/log.ts'
import { NotVerified } from '../sources/verify/not-verified.ts'
import { publicMirror, type SigstoreOrigin, sigstoreTrust } from '../sources/verify/sigstore/sigstore-trust.ts'

export interface SigstoreSettings {
  /** The Secret with `trusted_root.json` of a Sigstore, or `root.json` of its TUF repository. */
  readonly sigstoreRoot?: { readonly namespace: string; readonly name: string }
  /** A TUF repository, or `none`. */
  readonly sigstoreMirror?: string
}

export interface SigstoreRootPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly artifacts: ArtifactStore
  readonly clock: Clock
  readonly log?: Log
}

/** Returns `trusted_root.json` of the default Sigstore: the public one, unless an operator configures another. */
export const composeSigstoreRoot = (ports: SigstoreRootPorts, settings: SigstoreSettings, agent: HttpAgent) => {
  const { sigstoreRoot, sigstoreMirror: mirror = publicMirror } = settings
  const trusts = new Map<string, () => Promise<Uint8Array>>()

  const trustIn = (origin: SigstoreOrigin): Promise<Uint8Array> => {
    const trust = trusts.get(origin.root) ?? sigstoreTrust(origin, { ...ports, refresh: refreshOver(agent) })
    trusts.set(origin.root, trust)
    return trust()
  }

  /** Fails with NotVerified. */
  return async (): Promise<Uint8Array> => {
    if (!sigstoreRoot) return mirror === 'none' ? embeddedRoot() : trustIn(await publicOrigin(mirror))
    const { namespace, name } = sigstoreRoot
    const where = `secret '${namespace}/${name}', which the setting sigstoreRootSecret names,`
    const secret = await readSecret(ports.hub, namespace, name)
    if (!secret) throw new NotVerified(`${where} does not exist`)
    const given = secret.data.get('trusted_root.json')
    if (given) return given
    const root = secret.data.get('root.json')
    if (!root) throw new NotVerified(`${where} has neither 'trusted_root.json' nor 'root.json'`)
    if (mirror === 'none')
      throw new NotVerified(`${where} has a 'root.json', which needs a mirror, but the setting sigstoreMirror is none`)
    return trustIn({ mirror, root: Buffer.from(root).toString('utf8') })
  }
}

/** The TUF library is slow to load, and few hubs need it. */
const refreshOver =
  (agent: HttpAgent): Parameters<typeof sigstoreTrust>[1]['refresh'] =>
  async (mirror, known) => {
    const { refreshFromTuf } = await import('../sources/verify/sigstore/tuf-client.ts')
    return refreshFromTuf(mirror, known, agent)
  }

const embeddedRoot = async (): Promise<Uint8Array> => {
  const { publicGoodRoot } = await import('../sources/verify/sigstore/public-good.ts')
  return publicGoodRoot
}

const publicOrigin = async (mirror: string): Promise<SigstoreOrigin> => {
  const { publicGoodRoot, publicTufRoot } = await import('../sources/verify/sigstore/public-good.ts')
  return { mirror, root: publicTufRoot, embedded: publicGoodRoot }
}
