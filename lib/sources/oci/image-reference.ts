import { InvalidName, parseRepository, type RepositoryName } from './image-name.ts'

/**
 * Reads the name of an image, `[<host>[:<port>]/]<path>`, which must have no scheme and no tag. Fails with InvalidName, and the message of
 * image-reflector-controller.
 */
export const parseImage = (image: string): RepositoryName => {
  const [scheme, ...others] = image.split('://')
  if (others.length > 0) throw new InvalidName(`image '${image}' should not include URL scheme; remove '${scheme}://'`)
  const [, name = image, hex, tag = hex] = /^(.*?)(?:@sha256:([0-9a-f]{64})|:([\w][\w.-]{0,127}))$/.exec(image) ?? []
  const repository = requireRepository(name, image)
  if (tag !== undefined) throw new InvalidName(`image '${image}' should not include a tag; remove ':${tag}'`)
  return repository
}

const requireRepository = (name: string, image: string): RepositoryName => {
  try {
    return parseRepository(name)
  } catch (error) {
    if (!(error instanceof InvalidName)) throw error
    throw new InvalidName(`could not parse reference: ${image}`)
  }
}
