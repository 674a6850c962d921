import { emitJson } from '../yaml/emit-json.ts'
import type { JsonObject } from '../yaml/json-value.ts'

/** An object of the output. Builds that share a cache share it too: it must not be modified. */
export class Printed {
  readonly object: JsonObject
  private text: string | undefined

  constructor(object: JsonObject) {
    this.object = object
  }

  /** As kustomize prints it. Created on first use. */
  get yaml(): string {
    this.text ??= emitJson(this.object)
    return this.text
  }
}
