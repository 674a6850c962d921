import type { Connections } from '../http/connections.ts'
import { forbidsLocal } from '../http/guarded-lookup.ts'
import { evidenceOver } from '../source/verify/revocation/evidence.ts'
import { revocation } from '../source/verify/revocation/revocation.ts'
import { type ArtifactVerifier, artifactVerifier } from '../source/verify/verify-artifact.ts'
import { composeSigstoreRoot, type SigstoreRootPorts, type SigstoreSettings } from './sigstore-root.ts'

interface SignaturePorts extends SigstoreRootPorts {
  readonly connections: Connections
}

export interface SignatureSettings extends SigstoreSettings {
  /** Whether certificates may name servers on this machine to be asked about them: for tests. */
  readonly localResponders?: boolean
}

/** What proves sources genuine, with servers to ask about certificates, and where Sigstore's roots come from. */
export const composeSignatures = (ports: SignaturePorts, settings: SignatureSettings): ArtifactVerifier => {
  const { clock, connections } = ports
  const certificates = settings.localResponders ? connections : connections.forbidding(forbidsLocal)
  return artifactVerifier({
    clock,
    revocation: revocation(evidenceOver(certificates.open().agent, clock)),
    sigstoreRoot: composeSigstoreRoot(ports, settings, connections.open().agent),
  })
}
