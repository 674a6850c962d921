import { type ImageRepository, imageRepository } from '../../foundations/kinds/image-repository.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { AddressOf } from '../runtime/reconciler.ts'
import { oneOfGroups } from '../source-artifact/visits.ts'

/**
 * Routes messages for ImageRepositories, by registry. On AWS the function of ResourceSets scans them: the bundle of the one for sources has
 * reached its size limit.
 */
export const imageRepositoryAddress: AddressOf<ImageRepository> = {
  kind: imageRepository,
  stage: 'resourceset',
  groupOf: ({ spec }) => spec.image?.split('/', 1)[0],
  isVisited: true,
  /** Those of one image are visited together, as they may share the response of the registry. */
  visitOf: ({ spec: { image = '' } }) => oneOfGroups(image.split('/', 1)[0]!, image),
  /** Policies wait for it, and it says who may refer to it. The pass that finds other tags reports those itself. */
  isNews: (before, after) => !isSameJson(before?.spec.accessFrom ?? null, after?.spec.accessFrom ?? null) || !before,
}
