import { formulaProperties } from '../../../test/support/formula-properties.js';

formulaProperties(20_000);
