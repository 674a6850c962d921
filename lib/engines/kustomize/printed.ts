import { emitJson } from '../yaml/emit-json.ts'
import type { JsonObject } from '../yaml/json-value.ts'

/** An object of the output. Builds that share a cache share it, too: nobody may change it. */
export class Printed {
  readonly object: JsonObject
  private text: string | undefined

  constructor(object: JsonObject) {
    this.object = object
  }

  /** As kustomize prints it. Written when first asked for. */
  get yaml(): string {
    this.text ??= emitJson(this.object)
    return this.text
  }
}
