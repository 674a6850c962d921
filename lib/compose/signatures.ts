import type { Connections } from '../platform/http/connections.ts'
import { revocation } from '../sources/verify/revocation/revocation.ts'
import { revocationClient } from '../sources/verify/revocation/revocation-client.ts'
import { type ArtifactVerifier, artifactVerifier } from '../sources/verify/verify-artifact.ts'
import { composeSigstoreRoot, type SigstoreRootPorts, type SigstoreSettings } from './sigstore-root.ts'

interface SignaturePorts extends SigstoreRootPorts {
  readonly connections: Connections
}

/** What proves sources genuine, with servers to ask about certificates, and where Sigstore's roots come from. */
export const composeSignatures = (ports: SignaturePorts, settings: SigstoreSettings): ArtifactVerifier => {
  const { clock, connections } = ports
  const { agent } = connections.open()
  return artifactVerifier({
    clock,
    revocation: revocation(revocationClient(agent, clock)),
    sigstoreRoot: composeSigstoreRoot(ports, settings, agent),
  })
}
