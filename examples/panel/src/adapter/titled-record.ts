import { BaseRecord, type BaseResource, type CurrentAdmin, type ParamsType } from 'adminjs';

export type TitleOf = (params: ParamsType) => string;

/** A record whose title is not the value of a property. */
export class TitledRecord extends BaseRecord {
  constructor(
    params: ParamsType,
    resource: BaseResource,
    private readonly titleOf: TitleOf | undefined,
  ) {
    super(params, resource);
  }

  override toJSON(currentAdmin?: CurrentAdmin) {
    const json = super.toJSON(currentAdmin);
    return this.titleOf === undefined ? json : { ...json, title: this.titleOf(this.params) };
  }
}
