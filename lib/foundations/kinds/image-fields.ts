/** What the kinds of image automation have in common. */

import { imageGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { object, optional, text } from './schema/schema.ts'

/** To spread into the kind. */
export const imageKindFields = {
  group: imageGroup,
  categories: ['all', 'fluxcd', 'fluxcd-images'],
  namespaced: true,
  hasGeneration: true,
} as const

/** An image that a policy has chosen. */
export const imageRef = object('An image.', {
  name: text('Name of the image, without tag.'),
  tag: text('Tag of the image.'),
  digest: optional(text('Digest of the image, `sha256:<hex>`.')),
})

export type ImageRef = TypeOf<typeof imageRef>

/** `name:tag`, with `@digest` if there is one. */
export const imageText = ({ name, tag, digest }: ImageRef): string => `${name}:${tag}${digest ? `@${digest}` : ''}`

/** Milliseconds after which an object without an interval of its own is reconciled again, in case that a message was lost. */
export const resyncMs = 10 * 60 * 60_000

export const isSameImage = (a: ImageRef | undefined, b: ImageRef | undefined): boolean =>
  a && b ? imageText(a) === imageText(b) : a === b
