import { type ImageRef, imageText, isSameImage } from '../../foundations/kinds/image-fields.ts'
import type { ImagePolicy } from '../../foundations/kinds/image-policy.ts'
import { type ImageRepository, timeoutOf } from '../../foundations/kinds/image-repository.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { RepositoryName } from '../../sources/oci/image-name.ts'
import type { OciClient } from '../../sources/oci/oci-client.ts'
import { type ImageAccessPorts, loadImageAccess } from '../image-repository/load-image-access.ts'

export interface DigestPorts extends ImageAccessPorts {
  readonly oci: Pick<OciClient, 'open'>
}

/** An image of a repository. */
interface Chosen {
  readonly repository: ImageRepository
  readonly image: RepositoryName
  readonly tag: string
}

/**
 * The latest image with its digest, as far as the policy reflects it: looked up in each pass, or once for each tag. With the credentials of the
 * ImageRepository. Fails with the message of image-reflector-controller.
 */
export const latestRefOf = async (
  { spec, status }: ImagePolicy,
  chosen: Chosen,
  ports: DigestPorts,
  signal: AbortSignal,
): Promise<ImageRef> => {
  const ref = { name: chosen.repository.spec.image, tag: chosen.tag }
  const { digestReflectionPolicy: policy = 'Never' } = spec
  if (policy === 'Never') return ref
  const { digest, ...before } = status?.latestRef ?? { name: '', tag: '' }
  if (policy === 'IfNotPresent' && digest && isSameImage(before, ref)) return { ...ref, digest }
  const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutOf(chosen.repository))])
  try {
    return { ...ref, digest: await digestOf(chosen, ports, timed) }
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(`failed fetching digest of ${imageText(ref)}: ${errorMessage(error)}`, { cause: error })
  }
}

const digestOf = async ({ repository, image, tag }: Chosen, ports: DigestPorts, signal: AbortSignal) => {
  const access = await loadImageAccess(repository, image, ports, signal)
  const session = ports.oci.open({ ...access, signal })
  try {
    return await session.resolve(tag)
  } catch (error) {
    const what = `failed fetching descriptor for "${repository.spec.image}:${tag}"`
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error })
  } finally {
    await session.close()
  }
}
