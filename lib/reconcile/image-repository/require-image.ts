import type { ImageRepository } from '../../foundations/kinds/image-repository.ts'
import { InvalidName, type RepositoryName } from '../../sources/oci/image-name.ts'
import { parseImage } from '../../sources/oci/image-reference.ts'
import { Halt } from '../runtime/halt.ts'

/** The image in `spec.image`. Halts as stalled, with the reason ImageURLInvalid, if it is not a name of an image. */
export const requireImage = ({ spec }: ImageRepository): RepositoryName => {
  try {
    return parseImage(spec.image)
  } catch (error) {
    if (!(error instanceof InvalidName)) throw error
    throw new Halt({ type: 'stalled', reason: 'ImageURLInvalid', message: error.message })
  }
}
