import { type GitObject, type ObjectFormat, objectId } from '../git-object.ts'

/** An object of the same type that the server has, and that differs little. */
export interface DeltaBase {
  readonly id: string
  readonly content: Uint8Array
}

export type NewObject = GitObject & { readonly base?: DeltaBase | undefined }

/** Objects to be pushed, by id. */
export interface NewObjects {
  readonly format: ObjectFormat
  readonly objects: ReadonlyMap<string, NewObject>
  /** Adds an object, and returns its id. */
  add(object: GitObject, base?: DeltaBase): string
}

/** No objects yet; ids are hashes in the repository's object format. */
export const newObjects = (format: ObjectFormat): NewObjects => {
  const objects = new Map<string, NewObject>()
  return {
    format,
    objects,
    add: (object, base) => {
      const id = objectId(object, format)
      objects.set(id, { ...object, base })
      return id
    },
  }
}
