import { loopbackRanges } from '../foundations/rules/address-policy.ts'
import { systemClock } from '../platform/adapters/embedded/system-clock.ts'
import { CloudError } from '../platform/cloud/cloud-error.ts'
import { type OciSession, type OciSessionOptions, ociClient } from '../sources/oci/oci-client.ts'
import { OciError } from '../sources/oci/oci-error.ts'
import { composeCloud } from './cloud.ts'
import { registryLogin } from './registry-login.ts'

interface RegistrySessionOptions extends OciSessionOptions {
  /** Log in with this process's cloud identity instead of credentials. */
  readonly provider: 'generic' | 'aws' | 'azure' | 'gcp'
}

/** Uses one repository, for a program that does nothing else. Fails with OciError. */
export const withRegistry = async <T>(
  { provider, ...options }: RegistrySessionOptions,
  work: (session: OciSession) => Promise<T>,
): Promise<T> => {
  const { repository, signal } = options
  const cloud = composeCloud(systemClock, {
    metadataService: true,
    forbidAddresses: [],
    allowAddresses: loopbackRanges,
  })
  const client = ociClient(systemClock, cloud.connections)
  try {
    const credentials =
      provider === 'generic' ? undefined : await registryLogin(cloud)(provider, repository.registry, {}, signal)
    const session = client.open({ ...options, ...(credentials && { credentials }) })
    return await work(session).finally(() => session.close())
  } catch (error) {
    throw error instanceof CloudError ? new OciError('refused', error.message, { cause: error }) : error
  } finally {
    await cloud.close()
  }
}
