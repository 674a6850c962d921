import { type FieldSpecs, NO_FIELD_SPECS } from './default-field-specs.ts'
import { mergeFieldSpecs } from './merge-field-specs.ts'
import { ResourceMap } from './resource-map.ts'
import { VarSet } from './vars/var-set.ts'

/** What a kustomization and everything below it has accumulated: resources, and the rules for them. */
export class Accumulator {
  readonly resources = new ResourceMap()
  readonly vars = new VarSet()
  specs: FieldSpecs = NO_FIELD_SPECS

  addSpecs(specs: FieldSpecs): void {
    this.specs = mergeFieldSpecs(this.specs, specs)
  }

  merge(other: Accumulator): void {
    this.resources.appendAll(other.resources.list)
    this.addSpecs(other.specs)
    this.vars.mergeAll(other.vars)
  }
}
