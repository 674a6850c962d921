import { formatOf, type GitObjects } from '../git-object.ts'
import type { Target } from '../reference.ts'
import { type SignedContent, signedCommit, signedTag } from './signed-content.ts'

export interface SignedObjects {
  readonly commit: SignedContent
  /** `shown` is for messages: `name@hash`, or only the name of a lightweight tag. */
  readonly tag?: SignedContent & { readonly shown: string }
}

/** The signed contents of a target, from the objects fetched for it. */
export const signedObjects = (objects: GitObjects, { commit, want, tag }: Target): SignedObjects => {
  const contentOf = (id: string) => objects.get(id)!.content
  const signed = { commit: signedCommit(contentOf(commit), formatOf(commit)) }
  if (!tag) return signed
  const isObject = want !== commit
  const content = isObject ? signedTag(contentOf(want)) : { payload: new Uint8Array(), signature: '' }
  return { ...signed, tag: { shown: isObject ? `${tag}@${want}` : tag, ...content } }
}
