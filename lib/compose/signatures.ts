import type { Connections } from '../platform/http/connections.ts'
import { revocation } from '../sources/verify/revocation/revocation.ts'
import { revocationClient } from '../sources/verify/revocation/revocation-client.ts'
import { type ArtifactVerifier, artifactVerifier } from '../sources/verify/verify-artifact.ts'
import { composeSigstoreRoot, type SigstoreRootPorts, type SigstoreSettings } from './sigstore-root.ts'

interface SignaturePorts extends SigstoreRootPorts {
  readonly connections: Connections
}

/** Verifies signatures of sources, with access to servers for certificate status and Sigstore's roots. */
export const composeSignatures = (ports: SignaturePorts, settings: SigstoreSettings): ArtifactVerifier => {
  const { clock, connections } = ports
  const { agent } = connections.open()
  return artifactVerifier({
    clock,
    revocation: revocation(revocationClient(agent, clock)),
    sigstoreRoot: composeSigstoreRoot(ports, settings, agent),
  })
}
