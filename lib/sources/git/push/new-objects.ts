import { type GitObject, type ObjectFormat, objectId } from '../git-object.ts'

/** Objects to be pushed, by id. */
export interface NewObjects {
  readonly format: ObjectFormat
  readonly objects: ReadonlyMap<string, GitObject>
  /** Adds an object, and returns its id. */
  add(object: GitObject): string
}

export const newObjects = (format: ObjectFormat): NewObjects => {
  const objects = new Map<string, GitObject>()
  return {
    format,
    objects,
    add: object => {
      const id = objectId(object, format)
      objects.set(id, object)
      return id
    },
  }
}
