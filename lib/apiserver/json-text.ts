import type { KubernetesObject } from '../kinds/object.ts'

const texts = new WeakMap<object, string>()

/**
 * An object's JSON, made once for all who are given the same object: a change goes out to many watchers, and lists hold the
 * objects that watches have just sent.
 */
export const jsonText = (object: KubernetesObject): string => {
  const known = texts.get(object)
  if (known !== undefined) return known
  const text = JSON.stringify(object)
  texts.set(object, text)
  return text
}
