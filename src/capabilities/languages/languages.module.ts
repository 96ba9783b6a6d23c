import { Module } from '@nestjs/common';
import { FormsModule } from '../../forms/forms.module.js';
import { FormLanguages } from './form-languages.js';
import { SubmissionLanguage } from './submission-language.js';
import { KeptLanguagesService } from './kept-languages.service.js';
import { TranslatedFormsService } from './translated-forms.service.js';

@Module({
  imports: [FormsModule],
  providers: [FormLanguages, KeptLanguagesService, SubmissionLanguage, TranslatedFormsService],
})
export class LanguagesModule {}
